import { dataOf, type Schemas } from "learning-platform-client";
import { useRef } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { formatDay } from "../format.ts";
import { apiClient, apiUrl } from "../service.ts";
import { t } from "../texts.ts";
import { PrintedNameAndExpiryFields, readPrintedNameAndExpiryFields } from "./printed.tsx";

type Certificate = Schemas["OfferingCertificate"];
type IssuedProps = { certificate: Certificate; isAuthor: boolean; onChange: () => void };

/** A certificate for staff. Course authors may revoke or reissue it. */
export function IssuedCertificateWithActions({ certificate: one, isAuthor, onChange }: IssuedProps) {
  const name = useRef<HTMLHeadingElement>(null);
  const params = { path: { certificate_id: one.id } };
  // The button disappears, so the heading takes the focus.
  const changed = () => {
    name.current?.focus();
    onChange();
  };
  const revoke = async (fields: FormData) => {
    await dataOf(apiClient.revokeCertificate({ params, body: { reason: readTextField(fields, "reason") } }));
    changed();
  };
  const reissue = async (fields: FormData) => {
    await dataOf(apiClient.reissueCertificate({ params, body: readPrintedNameAndExpiryFields(fields) }));
    changed();
  };
  return (
    <article class="card" aria-label={one.printed_name}>
      <div class="line-head">
        <h2 ref={name} tabIndex={-1}>
          {one.printed_name}
        </h2>
        <span class={`badge ${one.state === "VALID" ? "completed" : "dropped"}`}>
          {t(`certificate.${one.state}`)}
        </span>
      </div>
      <p class="quiet">
        {one.external_id && `${one.external_id} · `}
        {t("certificate.issued", { day: formatDay(one.issued_at) })}
        {one.expires_at && ` · ${t("certificate.expires", { day: formatDay(one.expires_at) })}`}{" "}
        <a
          href={apiUrl(`/assessments/certificates/verify/${one.certificate_code}/page`)}
          target="_blank"
          rel="noopener"
        >
          {t("certificate.page")}
        </a>
      </p>
      {one.revocation_reason && <p>{one.revocation_reason}</p>}
      {isAuthor && one.state === "VALID" && (
        <LazyDisclosure label={t("certificates.revoke")}>
          {() => (
            <Form send={revoke} submit={t("certificates.revoke")}>
              <Field name="reason" label={t("certificates.reason")} about={t("certificates.reason.about")}>
                <textarea rows={2} maxLength={1000} required />
              </Field>
            </Form>
          )}
        </LazyDisclosure>
      )}
      {isAuthor && one.state !== "REPLACED" && one.user_id !== null && (
        <LazyDisclosure label={t("certificates.reissue")}>
          {() => (
            <Form send={reissue} submit={t("certificates.reissue")}>
              <div class="fields">
                <PrintedNameAndExpiryFields name={one.printed_name} />
              </div>
            </Form>
          )}
        </LazyDisclosure>
      )}
    </article>
  );
}
