import { dataOf, type Schemas } from "learning-platform-client";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { Table } from "../components/table.tsx";
import { formatFractionAsPercent, formatNumber } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Misconceptions = Schemas["TutorMisconceptions"];

/** Statistics of the tutor's questions in a topic, hardest first. */
export const TutorQuestionStatistics = ({ topic }: { topic: number }) => (
  <LazyDisclosureCard label={t("misconceptions")}>{() => <QuestionTable topic={topic} />}</LazyDisclosureCard>
);

function QuestionTable({ topic }: { topic: number }) {
  const path = { content_item_id: topic };
  const questions = usePagedQuery(
    (part, signal) => dataOf(apiClient.listChatMisconceptions({ params: { path, query: part }, signal })),
    [topic],
  );
  return (
    <>
      <p class="quiet">{t("misconceptions.about")}</p>
      <PagedList of={questions} empty={t("misconceptions.none")}>
        {(found) => (
          <Table
            label={t("misconceptions.table")}
            columns={[
              t("misconceptions.question"),
              t("misconceptions.people"),
              t("misconceptions.first.try"),
              t("misconceptions.errors"),
            ]}
          >
            {found.map((one) => (
              <QuestionRow key={JSON.stringify([one.question, one.answer])} one={one} />
            ))}
          </Table>
        )}
      </PagedList>
    </>
  );
}

function QuestionRow({
  one: { question, answer, skill, people, first_try, errors },
}: {
  one: Misconceptions;
}) {
  const right = question.options.find(({ id }) => id === answer);
  return (
    <tr>
      <th scope="row">
        {question.question}{" "}
        <small>
          {t("misconceptions.right", { option: right ? `${right.id} · ${right.text}` : answer })}
          {skill && ` · ${skill}`}
        </small>
      </th>
      <td>{formatNumber(people)}</td>
      <td>
        {formatFractionAsPercent(first_try.share)}{" "}
        <small>
          {t("misconceptions.interval", {
            low: formatFractionAsPercent(first_try.low),
            high: formatFractionAsPercent(first_try.high),
          })}
        </small>
      </td>
      <td>
        {errors.length === 0 ? (
          "–"
        ) : (
          <ul>
            {errors.map(({ id, text, misconception, people: ofThem }) => (
              <li key={id}>
                {id} · {text}: {formatNumber(ofThem)}{" "}
                {misconception && <small>{t("key.belief", { text: misconception })}</small>}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
