import { dataOf, type Schemas } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { formatDay } from "../format.ts";
import { apiClient, apiUrl } from "../service.ts";
import { t } from "../texts.ts";

type Certificate = Schemas["Certificate"];

export function MyCertificatesScreen() {
  const certificates = usePagedQuery(
    (query, signal) => dataOf(apiClient.listMyCertificates({ params: { query }, signal })),
    [],
  );
  return (
    <>
      <ScreenHeading title={t("certificates")} />
      <PagedList of={certificates} empty={t("certificates.empty")}>
        {(found) => (
          <ul class="cards">
            {found.map((one) => (
              <CertificateCard key={one.id} certificate={one} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

/** Anyone with the page's address can verify the certificate. */
function CertificateCard({ certificate: one }: { certificate: Certificate }) {
  const address = apiUrl(`/assessments/certificates/verify/${one.certificate_code}`);
  return (
    <li class="card certificate">
      <p class="eyebrow">{one.university_name}</p>
      <h2 lang={one.language_code ?? undefined}>{one.course_title}</h2>
      <p>{one.printed_name}</p>
      <p class="quiet">
        {t("certificate.issued", { day: formatDay(one.issued_at) })}
        {one.expires_at && ` · ${t("certificate.expires", { day: formatDay(one.expires_at) })}`}
      </p>
      <p class={`badge ${one.state === "VALID" ? "completed" : "dropped"}`}>
        {t(`certificate.${one.state}`)}
      </p>
      <div class="row">
        <a class="button primary" href={`${address}/pdf`} target="_blank" rel="noopener">
          {t("certificate.pdf")}
        </a>
        <a class="button" href={`${address}/page`} target="_blank" rel="noopener">
          {t("certificate.page")}
        </a>
        <a class="button" href={`${address}/credential`} download={`${one.certificate_code}.jwt`}>
          {t("certificate.badge")}
        </a>
      </div>
    </li>
  );
}
