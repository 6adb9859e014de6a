import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { answerWithoutQuestionBlock } from "../tutor/steps.ts";
import { dialoguePathLabel } from "./path-label.ts";

type Change = Schemas["TreeChange"];

type ChangesProps = { tree: Schemas["TopicTree"]; isAuthor: boolean; onChange: () => void };

/** Recent staff changes to a topic's stored answers. They are undone in reverse order. */
export function AnswerTreeChangesList({ tree, isAuthor, onChange }: ChangesProps) {
  const path = { content_item_id: tree.content_item_id };
  const changes = useQuery(
    (signal) => dataOf(apiClient.listChatTreeChanges({ params: { path, query: { limit: 20 } }, signal })),
    [tree],
  );
  return (
    <QueryBoundary of={changes}>
      {(found) =>
        found.length > 0 && (
          <section class="card">
            <h2>{t("changes")}</h2>
            <ul class="list">
              {found.map((change) => (
                <li key={change.id}>
                  <ChangeLine change={change} isAuthor={isAuthor} onChange={onChange} />
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </QueryBoundary>
  );
}

const names = {
  REPLACED: "changes.replaced",
  PURGED: "changes.purged",
  KEYED: "changes.keyed",
} as const;

function ChangeLine({
  change,
  isAuthor,
  onChange,
}: {
  change: Change;
  isAuthor: boolean;
  onChange: () => void;
}) {
  const path = { content_item_id: change.content_item_id, change_id: change.id };
  const undo = async () => {
    await dataOf(apiClient.undoChatTreeChange({ params: { path } }));
    onChange();
  };
  return (
    <>
      <p class="row">
        <span class="badge">{t(names[change.action])}</span>
        <span class="quiet">{dialoguePathLabel(change.path) || t("path.start")}</span>
        <time dateTime={change.changed_at}>{formatDayAndTime(change.changed_at)}</time>
        {change.removed_count > 0 && (
          <span class="quiet">{t("changes.removed", { n: change.removed_count })}</span>
        )}
        {change.undone_at && <span class="badge done">{t("changes.undone")}</span>}
      </p>
      <details>
        <summary>{t("changes.texts")}</summary>
        <p>
          <del>{answerWithoutQuestionBlock(change.former_answer)}</del>
        </p>
        {change.answer && (
          <p>
            <ins>{answerWithoutQuestionBlock(change.answer)}</ins>
          </p>
        )}
      </details>
      {isAuthor && change.can_undo && (
        <ActionButton class="quiet" run={undo}>
          {t("changes.undo")}
        </ActionButton>
      )}
    </>
  );
}
