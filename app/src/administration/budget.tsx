import { dataOf, type Schemas } from "learning-platform-client";
import { NumberField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { formatNumber } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { type TextKey, t } from "../texts.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Limits = Schemas["TutorLimits"];
type Limit = keyof Limits;

const limits: Limit[] = ["turns_per_day", "turns_at_once", "tokens_per_month"];

/** The LLM budget of a university: its own limit and the platform's grant. */
export function LlmBudgetScreen({ university }: { university: string }) {
  const params = { path: { university_id: Number(university) } };
  const person = useCurrentUser();
  const budget = useQuery((signal) => dataOf(apiClient.getTutorBudget({ params, signal })), [university]);
  const save = async (fields: FormData) =>
    budget.set(await dataOf(apiClient.updateTutorBudget({ params, body: limitsOf(fields) })));
  const grant = async (fields: FormData) =>
    budget.set(await dataOf(apiClient.grantTutorBudget({ params, body: limitsOf(fields) })));
  return (
    <UniversityAdministrationLayout university={university} part="tutor" title={t("budget")}>
      <QueryBoundary of={budget}>
        {({ own, granted, in_force, tokens_this_month }) => (
          <>
            <div class="tiles">
              <div class="card tile">
                <span>{t("budget.used")}</span>
                <strong>{formatNumber(tokens_this_month)}</strong>
                <small>{t("budget.tokens")}</small>
              </div>
              {limits.map((limit) => (
                <div key={limit} class="card tile">
                  <span>{t(`budget.${limit}`)}</span>
                  <strong>{in_force[limit] === null ? "∞" : formatNumber(in_force[limit])}</strong>
                  <small>{t("budget.in.force")}</small>
                </div>
              ))}
            </div>
            <LimitsForm title="budget.own" given={own} send={save} />
            {isPlatformAdmin(person) && <LimitsForm title="budget.granted" given={granted} send={grant} />}
          </>
        )}
      </QueryBoundary>
    </UniversityAdministrationLayout>
  );
}

const limitsOf = (fields: FormData): Limits => ({
  turns_per_day: readNumberFieldOrNull(fields, "turns_per_day"),
  turns_at_once: readNumberFieldOrNull(fields, "turns_at_once"),
  tokens_per_month: readNumberFieldOrNull(fields, "tokens_per_month"),
});

type FormProps = { title: TextKey; given: Limits; send: (fields: FormData) => Promise<unknown> };

function LimitsForm({ title, given, send }: FormProps) {
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>{t(title)}</h2>
      <p class="quiet">{t("budget.empty")}</p>
      <Form send={send} submit={t("save")} done={t("saved")}>
        <div class="fields">
          {limits.map((limit) => (
            <NumberField key={limit} name={limit} label={t(`budget.${limit}`)} min={0} value={given[limit]} />
          ))}
        </div>
      </Form>
    </section>
  );
}
