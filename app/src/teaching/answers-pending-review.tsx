import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { answerWithoutQuestionBlock } from "../tutor/steps.ts";
import { dialoguePathLabel } from "./path-label.ts";
import { QuestionWithResponsesAndKey } from "./tree-question.tsx";

type Node = Schemas["CacheNode"];

type WaitingProps = { tree: Schemas["TopicTree"]; isAuthor: boolean; onChange: () => void };

/** Answers that are pending review, in full, with the path to each. Learners do not receive them yet. */
export function AnswersPendingReviewList({ tree, isAuthor, onChange }: WaitingProps) {
  const waiting = tree.nodes.filter(({ is_waiting }) => is_waiting);
  if (waiting.length === 0) return null;
  const nodes = new Map(tree.nodes.map((node) => [node.id, node]));
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">{t("waiting", { n: waiting.length })}</h2>
      <p class="quiet">{t("waiting.about")}</p>
      <ul class="list">
        {waiting.map((node) => (
          <li key={node.id}>
            <WaitingAnswer
              node={node}
              place={dialoguePathLabel(pathTo(node, nodes)) || t("path.start")}
              topic={tree.content_item_id}
              isAuthor={isAuthor}
              onChange={onChange}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function pathTo(node: Node, nodes: ReadonlyMap<number, Node>): string[] {
  const parent = node.parent_id === null ? undefined : nodes.get(node.parent_id);
  return [...(parent ? pathTo(parent, nodes) : []), node.message];
}

type WaitingAnswerProps = {
  node: Node;
  place: string;
  topic: number;
} & Pick<WaitingProps, "isAuthor" | "onChange">;

function WaitingAnswer({ node, place, topic, isAuthor, onChange }: WaitingAnswerProps) {
  const path = { content_item_id: topic, node_id: node.id };
  const approve = () => {
    const params = { path, header: ifMatch(node.version) };
    // Reloads even on failure: another person may have changed it first.
    return dataOf(apiClient.updateChatTopicTreeNode({ params, body: { approved: true } })).finally(onChange);
  };
  return (
    <>
      <p class="row">
        <span class="badge waiting">{t("tree.waiting")}</span>
        <span class="quiet">{place}</span>
      </p>
      <MarkdownWithFormulas source={answerWithoutQuestionBlock(node.answer)} />
      <QuestionWithResponsesAndKey node={node} path={path} isAuthor={false} onChange={onChange} />
      {isAuthor && (
        <ActionButton class="primary" run={approve} label={t("waiting.approve.of", { place })}>
          {t("waiting.approve")}
        </ActionButton>
      )}
    </>
  );
}
