import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { EmptyMessage } from "../components/empty.tsx";
import { SelectField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { PrintedNameAndExpiryFields, readPrintedNameAndExpiryFields } from "./printed.tsx";

type IssueProps = { course: number; offering: number; onIssued: () => void };

/** Issues a certificate to someone who has completed the offering. */
export function IssueCertificateForm({ course, offering, onIssued }: IssueProps) {
  const path = { course_id: course, offering_id: offering };
  const query = { status: "COMPLETED" as const, sort: "full_name" as const, limit: 1000 };
  const completed = useQuery(
    (signal) => allOf(apiClient.listCourseOfferingEnrollments, { params: { path, query }, signal }),
    [offering],
  );
  const [isNew, setNew] = useState(true);
  const issue = async (fields: FormData) => {
    const body = {
      user_id: readNumberFieldOrNull(fields, "user_id") ?? 0,
      ...readPrintedNameAndExpiryFields(fields),
    };
    const answer = apiClient.issueCertificate({ params: { path: { offering_id: offering } }, body });
    await dataOf(answer);
    setNew((await answer).response.status === 201);
    onIssued();
  };
  return (
    <section class="card" aria-labelledby="issue">
      <h2 id="issue">{t("certificates.issue")}</h2>
      <QueryBoundary of={completed}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("certificates.nobody")}</EmptyMessage>
          ) : (
            <Form
              send={issue}
              submit={t("certificates.issue.one")}
              done={t(isNew ? "certificates.issued" : "certificates.had")}
              clears
            >
              <div class="fields">
                <SelectField
                  name="user_id"
                  label={t("submissions.learner")}
                  of={found.map(({ user_id, full_name, email }) => [user_id, `${full_name} (${email})`])}
                  chosen={null}
                />
                <PrintedNameAndExpiryFields />
              </div>
            </Form>
          )
        }
      </QueryBoundary>
    </section>
  );
}
