import { dataOf } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ReopeningProps = {
  offering: number;
  /** User ids. Absent: everyone. */
  people?: number[];
  submit: string;
  onReopened: (count: number) => void;
  onCancel?: () => void;
};

/** Reopens final grades, with a reason that is recorded. */
export function ReopenFinalGradesForm({ offering, people, submit, onReopened, onCancel }: ReopeningProps) {
  const send = async (fields: FormData) => {
    const body = { reason: readTextField(fields, "reason"), ...(people && { user_ids: people }) };
    const params = { path: { offering_id: offering } };
    onReopened((await dataOf(apiClient.reopenGrades({ params, body }))).reopened);
  };
  return (
    <Form send={send} submit={submit} {...(onCancel && { onCancel })}>
      <Field name="reason" label={t("decision.reason")}>
        <input maxLength={500} required />
      </Field>
    </Form>
  );
}
