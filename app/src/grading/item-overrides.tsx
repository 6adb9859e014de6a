import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { CheckboxField, NumberField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { SearchForm } from "../components/search-form.tsx";
import {
  formatDeadlineOmittingDayEnd,
  formatOpeningOmittingMidnight,
  formatSecondsAsClock,
} from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import { readSubmissionAuthor } from "./submission-author.ts";

/** A person's exception. Submissions have no time limit. */
type Exception = Schemas["SubmissionOverride"] & { time_limit_seconds?: number | null };
type Learner = { id: number; full_name: string };
type ExceptionsProps = { course: string; offering: string; item: number; isQuiz: boolean };

/** Exceptions from an item's dates, attempts and time limit, by person. */
export function ItemOverridesEditor({ course, offering, item, isQuiz }: ExceptionsProps) {
  const [chosen, choose] = useState<{ learner: Learner; before?: Exception | undefined }>();
  const offering_id = Number(offering);
  const query = useQuery(
    async (signal) => {
      const ofQuiz = { path: { offering_id, content_item_id: item }, query: { limit: 1000 } };
      const ofWork = { path: { offering_id, assignment_id: item }, query: { limit: 1000 } };
      const found: Exception[] = isQuiz
        ? await allOf(apiClient.listQuizOverrides, { params: ofQuiz, signal })
        : await allOf(apiClient.listSubmissionOverrides, { params: ofWork, signal });
      const ofLearner = async (one: Exception) => {
        const full_name = (await readSubmissionAuthor(one.user_id, signal))?.full_name ?? null;
        const learner = {
          id: one.user_id,
          full_name: personNameInGrades({ user_id: one.user_id, full_name }),
        };
        return { ...one, learner };
      };
      return Promise.all(found.map(ofLearner));
    },
    [offering, item],
  );
  const granted = () => {
    choose(undefined);
    query.again();
  };
  return (
    <section class="card" aria-labelledby="exceptions">
      <h2 id="exceptions">{t("exceptions")}</h2>
      <p class="quiet">{t("exceptions.about")}</p>
      <QueryBoundary of={query}>
        {(found) => (
          <>
            {found.length === 0 && <EmptyMessage>{t("exceptions.none")}</EmptyMessage>}
            <ul class="lines">
              {found.map((one) => (
                <li key={one.id}>
                  <span>{one.learner.full_name}</span>
                  <span class="quiet">{inWords(one)}</span>
                  <ActionButton
                    class="quiet"
                    run={async () => choose({ learner: one.learner, before: one })}
                    label={t("exceptions.edit", { name: one.learner.full_name })}
                  >
                    {t("edit")}
                  </ActionButton>
                </li>
              ))}
            </ul>
            {chosen ? (
              <Granting
                key={chosen.learner.id}
                {...chosen}
                {...{ offering_id, item, isQuiz }}
                onGranted={granted}
                onCancel={() => choose(undefined)}
              />
            ) : (
              <ChooseLearner
                course={course}
                offering={offering}
                onChoose={(learner) =>
                  choose({ learner, before: found.find(({ user_id }) => user_id === learner.id) })
                }
              />
            )}
          </>
        )}
      </QueryBoundary>
    </section>
  );
}

function inWords({
  time_limit_seconds,
  max_attempts,
  available_from,
  due_at,
  no_due_date,
}: Exception): string {
  const said = [
    time_limit_seconds && t("quiz.time", { time: formatSecondsAsClock(time_limit_seconds) }),
    max_attempts !== null && t("exceptions.attempts.n", { n: max_attempts }),
    available_from && t("exceptions.opens.on", { day: formatOpeningOmittingMidnight(available_from) }),
    due_at && t("due.on", { day: formatDeadlineOmittingDayEnd(due_at) }),
    no_due_date && t("exceptions.no.due"),
  ].filter(Boolean);
  return said.join(" · ") || t("exceptions.nothing");
}

type ChooseProps = { course: string; offering: string; onChoose: (learner: Learner) => void };

function ChooseLearner({ course, offering, onChoose }: ChooseProps) {
  const [q, search] = useState("");
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const found = useQuery(
    async (signal) =>
      q === ""
        ? []
        : dataOf(
            apiClient.listCourseOfferingEnrollments({ params: { path, query: { q, limit: 20 } }, signal }),
          ),
    [offering, q],
  );
  return (
    <>
      <h3>{t("exceptions.new")}</h3>
      <SearchForm label={t("roster.search")} onSearch={search} />
      <QueryBoundary of={found}>
        {(people) =>
          q !== "" && people.length === 0 ? (
            <EmptyMessage>{t("roster.empty")}</EmptyMessage>
          ) : (
            <ul class="lines">
              {people.map(({ user_id: id, full_name, email }) => (
                <li key={id}>
                  <span>
                    {full_name} <small>{email}</small>
                  </span>
                  <ActionButton
                    class="quiet"
                    run={async () => onChoose({ id, full_name })}
                    label={t("exceptions.for", { name: full_name })}
                  >
                    {t("exceptions.choose")}
                  </ActionButton>
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </>
  );
}

type GrantingProps = {
  learner: Learner;
  before?: Exception | undefined;
  offering_id: number;
  item: number;
  isQuiz: boolean;
  onGranted: () => void;
  onCancel: () => void;
};

function Granting({ learner, before, offering_id, item, isQuiz, onGranted, onCancel }: GrantingProps) {
  const seconds = before?.time_limit_seconds;
  const send = async (fields: FormData) => {
    const whose = { offering_id, user_id: learner.id };
    const body = {
      max_attempts: readNumberFieldOrNull(fields, "max_attempts"),
      available_from: readDateTimeField(fields, "available_from", before?.available_from),
      due_at: readDateTimeField(fields, "due_at", before?.due_at),
      no_due_date: fields.has("no_due_date"),
    };
    const minutes = readNumberFieldOrNull(fields, "time_limit_seconds");
    const time_limit_seconds = minutes === null ? null : Math.round(minutes * 60);
    if (isQuiz) {
      const params = { path: { ...whose, content_item_id: item } };
      await dataOf(apiClient.grantQuizOverride({ params, body: { ...body, time_limit_seconds } }));
    } else
      await dataOf(
        apiClient.grantSubmissionOverride({ params: { path: { ...whose, assignment_id: item } }, body }),
      );
    onGranted();
  };
  return (
    <>
      <h3>{t("exceptions.for", { name: learner.full_name })}</h3>
      <Form send={send} submit={t("exceptions.grant")} onCancel={onCancel}>
        <p class="quiet">{t("exceptions.empty")}</p>
        <div class="fields">
          {isQuiz && (
            <NumberField
              name="time_limit_seconds"
              label={t("exceptions.minutes")}
              min={0.02}
              step="any"
              value={seconds ? seconds / 60 : null}
            />
          )}
          <NumberField
            name="max_attempts"
            label={t("exceptions.attempts")}
            min={1}
            value={before?.max_attempts ?? null}
          />
          <DateTimeField name="available_from" label={t("exceptions.opens")} value={before?.available_from} />
          <DateTimeField name="due_at" label={t("due.at")} value={before?.due_at} />
        </div>
        <CheckboxField name="no_due_date" label={t("exceptions.no.due")}>
          <input type="checkbox" defaultChecked={before?.no_due_date ?? false} />
        </CheckboxField>
      </Form>
    </>
  );
}
