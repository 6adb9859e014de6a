import { dataOf, ifMatch, pagesOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { EditOrViewTutorNotes } from "../authoring/notes-for-tutor.tsx";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { formatNumber } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { dialogueMoveLabel } from "../tutor/moves.ts";
import { answerWithoutQuestionBlock, isSpelledLikeMove } from "../tutor/steps.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { type AnswerBranch, buildAnswerTree, countFollowUpAnswers } from "./answer-tree.ts";
import { AnswersPendingReviewList } from "./answers-pending-review.tsx";
import { EditStoredAnswerForm } from "./edit-answer.tsx";
import { PregenerateAnswersPanel } from "./pregenerate-answers.tsx";
import { AnswerTreeChangesList } from "./tree-changes.tsx";
import { PinnedAnswersList } from "./tree-pins.tsx";
import { QuestionWithResponsesAndKey } from "./tree-question.tsx";
import { TutorQuestionStatistics } from "./tutor-question-statistics.tsx";

type Tree = Schemas["TopicTree"];

type TreeProps = { course: string; offering: string; item: string };

/** The class's tree of a topic: visits, ratings and where learners stop. */
export function AnswerTreeScreen({ course, offering, item }: TreeProps) {
  const content_item_id = Number(item);
  const isAuthor = useMayEditCourse(course);
  const tree = useQuery((signal) => readTree(content_item_id, signal), [item]);
  const content = useQuery(
    (signal) => dataOf(apiClient.getContent({ params: { path: { content_id: content_item_id } }, signal })),
    [item],
  );
  return (
    <>
      <a class="back" href={screenHref("teaching", course, offering)}>
        ← {t("back.to.class")}
      </a>
      <QueryBoundary of={content}>
        {({ title }) => <ScreenHeading title={t("tree.of", { title })} />}
      </QueryBoundary>
      <QueryBoundary of={tree}>
        {(found) => (
          <>
            <EditOrViewTutorNotes of={{ item: content_item_id }} mayWrite={isAuthor} />
            <TutorQuestionStatistics topic={content_item_id} />
            <PregenerateAnswersPanel topic={content_item_id} mayWarm={isAuthor} onMade={tree.again} />
            <AnswersPendingReviewList tree={found} isAuthor={isAuthor} onChange={tree.again} />
            <ClassMap tree={found} query={tree} isAuthor={isAuthor} />
            <PinnedAnswersList tree={found} isAuthor={isAuthor} onChange={tree.again} />
            <AnswerTreeChangesList tree={found} isAuthor={isAuthor} onChange={tree.again} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

/** Reads all pages, since branches can be placed only in the complete tree. */
async function readTree(content_item_id: number, signal: AbortSignal): Promise<Tree> {
  const params = { path: { content_item_id }, query: { limit: 1000 } };
  let tree: Tree | undefined;
  for await (const part of pagesOf(apiClient.getChatTopicTree, { params, signal }))
    tree = { ...part, nodes: [...(tree?.nodes ?? []), ...part.nodes] };
  if (!tree) throw new Error("A list has a page at least");
  return tree;
}

type MapProps = { tree: Tree; query: QueryHookResult<Tree>; isAuthor: boolean };

function ClassMap({ tree, query, isAuthor }: MapProps) {
  const branches = buildAnswerTree(tree.nodes);
  const wanted = fragmentParameter(location.hash, "node");
  const isGone = wanted !== "" && !tree.nodes.some(({ id }) => String(id) === wanted);
  return (
    <>
      <p class="quiet">{t("tree.about", { n: tree.total, left: tree.sessions_diverged_at_start })}</p>
      {isGone && <Notice>{t("tree.gone")}</Notice>}
      {branches.length === 0 ? (
        <EmptyMessage>{t("tree.empty")}</EmptyMessage>
      ) : (
        <section class="map" tabIndex={0} aria-label={t("tree")}>
          <ul>
            {branches.map((branch) => (
              <BranchView
                key={branch.node.id}
                branch={branch}
                topic={tree.content_item_id}
                query={query}
                isAuthor={isAuthor}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

type BranchProps = { branch: AnswerBranch; topic: number } & Pick<MapProps, "query" | "isAuthor">;

function BranchView({ branch, ...rest }: BranchProps) {
  return (
    <li>
      <NodeCard branch={branch} {...rest} />
      {branch.children.length > 0 && (
        <ul>
          {branch.children.map((child) => (
            <BranchView key={child.node.id} branch={child} {...rest} />
          ))}
        </ul>
      )}
    </li>
  );
}

function NodeCard({ branch, topic, query, isAuthor }: BranchProps) {
  const { node, label } = branch;
  const wanted = fragmentParameter(location.hash, "node") === String(node.id);
  const [isChosen, setEditing] = useState<boolean>();
  const isEditing = isChosen ?? (wanted && isAuthor);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!wanted) return;
    card.current?.scrollIntoView({ block: "center", inline: "center" });
    card.current?.focus({ preventScroll: true });
  }, [wanted]);
  const path = { content_item_id: topic, node_id: node.id };
  const name = label === undefined ? t("path.start") : dialogueMoveLabel(label);
  const purge = async () => {
    if (!confirm(t("tree.purge.sure"))) return;
    await dataOf(apiClient.deleteChatTopicTreeNode({ params: { path, header: ifMatch(node.version) } }));
    query.again();
  };
  return (
    <article
      class="node card"
      aria-label={name}
      ref={card}
      tabIndex={wanted ? -1 : undefined}
      aria-current={wanted || undefined}
    >
      <p class="eyebrow">{name}</p>
      <p class="row">
        <span class="badge">{t("tree.visits", { n: node.visits })}</span>
        <span class={node.is_live ? "badge done" : "badge"}>
          {node.is_live ? t("tree.live") : t("tree.former")}
        </span>
        {node.is_waiting && <span class="badge waiting">{t("tree.waiting")}</span>}
        {node.warmed && <span class="badge">{t("tree.warmed")}</span>}
        {node.edited_at && <span class="badge class">{t("tree.edited")}</span>}
        {node.is_pinned && <span class="badge class">{t("tree.pinned")}</span>}
        {node.origin_node_id !== null && <span class="badge">{t("tree.taken")}</span>}
        {node.feedback.up + node.feedback.down > 0 && (
          <span class="badge">
            {t("tree.feedback", {
              up: formatNumber(node.feedback.up),
              down: formatNumber(node.feedback.down),
            })}
          </span>
        )}
        {node.sessions_diverged > 0 && (
          <span class="badge waiting">{t("tree.left", { n: node.sessions_diverged })}</span>
        )}
      </p>
      {isEditing ? (
        <EditStoredAnswerForm
          node={node}
          path={path}
          following={countFollowUpAnswers(branch)}
          isOfMove={label !== undefined && isSpelledLikeMove(label)}
          onClose={(hasChanged) => {
            setEditing(false);
            if (hasChanged) query.again();
          }}
          onPresent={query.again}
        />
      ) : (
        <details>
          <summary>{excerpt(node.answer)}</summary>
          <MarkdownWithFormulas source={answerWithoutQuestionBlock(node.answer)} />
          <p class="quiet">
            {node.model} · {node.prompt_name} v{node.prompt_version}
          </p>
        </details>
      )}
      <QuestionWithResponsesAndKey node={node} path={path} isAuthor={isAuthor} onChange={query.again} />
      {!isEditing && isAuthor && (
        <div class="row">
          <ButtonWithFocusFallback class="quiet" onClick={() => setEditing(true)}>
            {t("edit")}
          </ButtonWithFocusFallback>
          <ActionButton class="quiet" run={purge}>
            {t("tree.purge")}
          </ActionButton>
        </div>
      )}
    </article>
  );
}

function excerpt(answer: string): string {
  const words = answerWithoutQuestionBlock(answer).replaceAll(/\s+/g, " ");
  return words.length > 90 ? `${words.slice(0, 90)}…` : words;
}
