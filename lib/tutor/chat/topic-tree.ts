import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  CacheNode,
  CacheNodeUpdate,
  QuestionKeyUpdate,
  TopicTree,
  TopicTreeQuery,
} from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { cacheNodes } from "../../../schema/db/tutor/cache.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, invalidField, notFound, PreconditionFailed } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { type ExpectedVersions, expectedVersionsSql } from "../../platform/db/query/versions.ts";
import type { PageBody } from "../../platform/results/list-page.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { normalFormOfAnswer } from "../dialogue/answer-normal-form.ts";
import { type NormalizedAnswer, normalizeHandWrittenAnswer } from "../dialogue/answer-reader.ts";
import { treeAnswersByLearnerForm } from "../dialogue/choices.ts";
import { availableMoves, isMove } from "../dialogue/moves.ts";
import { formatQuestionBlock } from "../dialogue/read-question.ts";
import {
  AnswerLookupKey,
  type AnswerLookupSettings,
  answerLookupKeyJsonSql,
  createPathServedPredicate,
  NewConversationTopic,
  newConversationTopicJsonSql,
} from "./answer-lookup.ts";

export type NodePath = { content_item_id: number; node_id: number };

/** 404 unless staff of the course. */
export async function getTopicTree(
  db: ReadDb,
  actor: Actor,
  contentItemId: number,
  { waiting, ...query }: TopicTreeQuery,
  settings: AnswerLookupSettings,
): Promise<PageBody<TopicTree>> {
  const page = createPageQuery(query, [ascending(cacheNodes.id)]);
  const ofTopic = sql`cache_nodes.content_item_id = content_items.id`;
  const isWaiting = sql`(cache_nodes.is_waiting and content_items.tutor_mode = 'reviewed')`;
  const listed = waiting === undefined ? ofTopic : sql`${ofTopic} and ${isWaiting} = ${waiting}`;
  const [tree] = await rowsOf(
    db,
    TreeRow,
    sql`
    select content_items.id as content_item_id,
           (select count(*)::int from chat_sessions
            where content_item_id = content_items.id and cache_state = 'diverged' and cache_node_id is null and aside_of_id is null
           ) as sessions_diverged_at_start,
           (select count(*)::int from cache_nodes where ${listed}) as total,
           (select count(*)::int from cache_nodes where ${ofTopic} and ${isWaiting}) as waiting,
           ${newConversationTopicJsonSql(settings)} as topic,
           coalesce((select json_agg(node order by id) from (
             ${nodesOf(sql`select id, ${page.keyColumn} from cache_nodes ${page.tail(listed)}`)}) as node), '[]') as nodes
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${contentItemId} and ${coursePermissionCondition(actor, "tutor-answer:read")}`,
  );
  if (!tree) throw notFound("Content item");
  const { topic, ...counts } = tree;
  const isLive = createPathServedPredicate(topic, settings);
  return page
    .part(tree.nodes)
    .map((node) => asNode(node, isLive))
    .within((nodes) => ({ ...counts, nodes }));
}

/**
 * Replaces an answer by an instructor's text, serves it from then on, and pins it. A text without a question
 * keeps the stored one unless `removes_question`. If the question changes, the subtree is deleted unless
 * `keep_children`, and its sessions return to the root. An answer to a move keeps its carried question. 404
 * if there is no node, 412 on a version conflict, 422 for an unreadable question.
 */
export async function replaceAnswer(
  db: Db,
  actor: Actor,
  path: NodePath,
  update: CacheNodeUpdate & { answer: string },
  expected: ExpectedVersions,
  settings: AnswerLookupSettings,
): Promise<CacheNode> {
  const given = normalizeHandWrittenAnswer(update.answer);
  if (!given) throw invalidField(["answer"], unreadableQuestion);
  const replacing = ({ text, question, words }: NormalizedAnswer, versions: SQL) => {
    const written = JSON.stringify({
      text,
      question,
      words,
      choices: question && treeAnswersByLearnerForm(question),
    });
    return sql`replace_and_pin_answer(id, ${written}::jsonb, ${actor.id}, ${update.keep_children ?? null}::boolean, ${versions},
      ${requestAuditJson()}::jsonb)`;
  };
  const mayLoseQuestion = given.question !== undefined || update.removes_question;
  // If the question would be lost, the text is written again with it.
  const unlessItAsks = sql`case when question is null
    then ${replacing(given, expected ? expectedVersionsSql(expected) : sql`array[version]`)} else 'asks' end`;
  const ifChanged = expected ? "refuse" : "again";
  let outcome = await change(
    db,
    actor,
    path,
    mayLoseQuestion ? replacing(given, expectedVersionsSql(expected)) : unlessItAsks,
    settings,
    ifChanged,
  );
  if (typeof outcome === "object") {
    const { question, version } = outcome;
    const kept = replacing(asking(given, question), expectedVersionsSql(expected ?? [version]));
    outcome = await change(db, actor, path, kept, settings, ifChanged);
  }
  if (outcome === "again") return replaceAnswer(db, actor, path, update, expected, settings);
  return readNode(db, actor, path, settings);
}

const asking = ({ text, words }: NormalizedAnswer, question: Question): NormalizedAnswer => ({
  text: `${text.trimEnd()}\n\n${formatQuestionBlock(question)}`,
  question,
  words,
});

/** Serves a pending answer from then on; idempotent. 404 if there is no node, 412 on a version conflict. */
export async function approveAnswer(
  db: Db,
  actor: Actor,
  path: NodePath,
  expected: ExpectedVersions,
  settings: AnswerLookupSettings,
): Promise<CacheNode> {
  await change(
    db,
    actor,
    path,
    sql`approve_stored_answer(id, ${expectedVersionsSql(expected)}, ${actor.id}, ${requestAuditJson()}::jsonb)`,
    settings,
  );
  return readNode(db, actor, path, settings);
}

const unreadableQuestion =
  "The question's block cannot be read. It must be JSON with questionId, question and at least two options with id and text";

const wordless = "The answer to a move has text only. Its question is the question of the answer above";

/** Deletes an answer with its subtree and pin; its sessions return to the root. 404 and 412 as above. */
export async function purgeNode(
  db: Db,
  actor: Actor,
  path: NodePath,
  expected: ExpectedVersions,
  settings: AnswerLookupSettings,
): Promise<void> {
  await change(
    db,
    actor,
    path,
    sql`purge_stored_answer_with_subtree(id, ${expectedVersionsSql(expected)}, ${actor.id}, ${requestAuditJson()}::jsonb)`,
    settings,
  );
}

/**
 * Sets a question's correct option. A different key deletes the subtree; sessions at this node stay. 404 if
 * there is no node, 400 without a question or for an unknown option, 412 on a version conflict.
 */
export async function setQuestionKey(
  db: Db,
  actor: Actor,
  path: NodePath,
  update: QuestionKeyUpdate,
  expected: ExpectedVersions,
  settings: AnswerLookupSettings,
): Promise<CacheNode> {
  const [found] = await rowsOf(
    db,
    Keyed,
    sql`select question, question_key as key, version from cache_nodes where ${reachable(actor, path)} and exists (
      select from content_items join courses on courses.id = content_items.course_id
      where content_items.id = ${path.content_item_id} and ${coursePermissionCondition(actor, "tutor-answer:read")})`,
  );
  if (!found) return explainRefusal(db, actor, path);
  if (!found.question) throw badRequest("answer_without_question");
  const key = offeredKey(found.question, withKept(update, found.key));
  const outcome = await change(
    db,
    actor,
    path,
    sql`set_answer_key_of_node_question(id, ${JSON.stringify(key)}::jsonb, ${JSON.stringify(treeAnswersByLearnerForm(found.question, { hasKey: true }))}::jsonb,
      ${actor.id}, ${expectedVersionsSql(expected ?? [found.version])}, ${requestAuditJson()}::jsonb)`,
    settings,
    expected ? "refuse" : "again",
  );
  if (outcome === "again") return setQuestionKey(db, actor, path, update, expected, settings);
  return readNode(db, actor, path, settings);
}

const Asking = z.object({ question: z.custom<Question>().nullable(), version: z.int() });
const Keyed = Asking.extend({ key: z.custom<QuestionKey>().nullable() });

/** Absent fields keep their values, but the reason of another answer would be wrong. */
const withKept = (
  { answer, misconceptions, skill, because }: QuestionKeyUpdate,
  former: QuestionKey | null,
): QuestionKey => {
  const reason = because === undefined && former?.answer === answer ? former.because : because;
  return {
    answer,
    misconceptions: misconceptions ?? former?.misconceptions ?? [],
    skill: skill === undefined ? (former?.skill ?? null) : skill,
    ...(reason != null && { because: reason }),
  };
};

/** The key with the question's own ids; 400 for an unknown option. */
function offeredKey({ options }: Question, key: QuestionKey): QuestionKey {
  const { answer, misconceptions } = key;
  const offered = new Set(options.map(({ id }) => id));
  const other = [answer, ...misconceptions.map(({ id }) => id)].find((id) => !offered.has(id));
  if (other !== undefined) throw badRequest("no_such_option", { option: truncate(other, 100) });
  return { ...key, misconceptions: misconceptions.filter(({ id }) => id !== answer) };
}

const Changed = Asking.extend({
  refusal: z.enum(["gone", "changed", "wordless", "carried", "asks"]).nullable(),
});

type Asked = { question: Question; version: number };

async function change(
  db: Db,
  actor: Actor,
  path: NodePath,
  done: SQL,
  settings: AnswerLookupSettings,
  ifChanged: "refuse" | "again" = "refuse",
): Promise<"done" | "again" | Asked> {
  const [row] = await rowsOf(
    db,
    Changed,
    sql`select ${done} as refusal, question, version from cache_nodes where ${reachable(actor, path)}`,
  );
  if (!row || row.refusal === "gone") await explainRefusal(db, actor, path);
  if (row?.refusal === "wordless") throw invalidField(["answer"], wordless);
  if (row?.refusal === "carried") throw badRequest("question_of_answer_above");
  if (row?.refusal === "asks" && row.question) return { question: row.question, version: row.version };
  if (row?.refusal !== "changed") return "done";
  if (ifChanged === "again") return "again";
  throw new PreconditionFailed(await readNode(db, actor, path, settings));
}

const FoundNode = z.object({
  topic: NewConversationTopic,
  sees_key: z.boolean(),
  nodes: z.lazy(() => z.array(NodeRow)),
});

/** Without its key for staff who learn the course; 404 if it was deleted. */
async function readNode(
  db: Db,
  actor: Actor,
  { content_item_id, node_id }: NodePath,
  settings: AnswerLookupSettings,
) {
  const [found] = await rowsOf(
    db,
    FoundNode,
    sql`
    select ${newConversationTopicJsonSql(settings)} as topic, ${coursePermissionCondition(actor, "tutor-answer:read")} as sees_key,
           coalesce((select json_agg(node) from (
      ${nodesOf(sql`select ${node_id}::bigint as id, '' as page_key`)}) as node), '[]') as nodes
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${content_item_id}`,
  );
  const [node] = found?.nodes ?? [];
  if (!found || !node) throw notFound("Node");
  const { page_key: _, ...read } = node;
  return asNode(
    { ...read, key: found.sees_key ? read.key : null },
    createPathServedPredicate(found.topic, settings),
  );
}

/**
 * A page's nodes (`id`, `page_key`) with statistics. Visits are stored separately, so they do not block each
 * other.
 */
const nodesOf = (page: SQL): SQL => sql`
  with page as materialized (${page}), child as materialized (
    select child.id, child.parent_id, child.message, child.visit_count
    from page join cache_nodes as asking on asking.id = page.id and asking.question is not null
    join cache_nodes as child on child.parent_id = asking.id
  ), visited as materialized (
    select node_id, count(*) as visits, count(*) filter (where hit) as hits from cache_visits
    where node_id in (select id from page union all select id from child) group by node_id
  ), chosen as (
    select parent_id, message, sum(visit_count + coalesce(visits, 0))::int as visits
    from child left join visited on node_id = child.id group by parent_id, message
  ), followed as (
    select parent_id, json_agg(json_build_object('message', message, 'visits', visits)) as followed_by
    from chosen group by parent_id
  )
  select node.id, node.parent_id, message, answer, model, prompt_name, prompt_version, question, question_key as key,
         (hit_count + coalesce(visited.hits, 0))::int as hits, (visit_count + coalesce(visited.visits, 0))::int as visits,
         coalesce(followed_by, '[]') as followed_by,
         (select json_build_object('up', count(*) filter (where rating = 'up'),
                                   'down', count(*) filter (where rating = 'down'))
          from message_feedback where node_id = node.id) as feedback,
         (select count(*)::int from chat_sessions
          where cache_node_id = node.id and cache_state = 'diverged' and aside_of_id is null) as sessions_diverged,
         last_used_at, created_at, edited_by, edited_at, version, origin_node_id,
         is_node_awaiting_approval(node.id) as is_waiting, node.warmed,
         exists (select from answer_pin_of_message_below_node(node.content_item_id, node.parent_id, node.message) as pin
                 where pin.answer = node.answer) as is_pinned,
         ${keysAbove(sql`node.id`)} as path_keys, page_key
  from page join cache_nodes as node using (id)
  left join visited on visited.node_id = node.id left join followed on followed.parent_id = node.id
  order by node.id`;

const keysAbove = (node: SQL): SQL => sql`(
  with recursive above (parent_id, key) as (
    select it.parent_id, ${answerLookupKeyJsonSql(sql`it`)} from cache_nodes as it where it.id = ${node}
    union all
    select it.parent_id, ${answerLookupKeyJsonSql(sql`it`)} from above join cache_nodes as it on it.id = above.parent_id
  )
  select json_agg(distinct key) from above)`;

const NodeRow = RowWithPageKey.extend({
  id: z.int(),
  parent_id: z.int().nullable(),
  message: z.string(),
  answer: z.string(),
  model: z.string(),
  prompt_name: z.string(),
  prompt_version: z.int(),
  question: z.custom<Question>().nullable(),
  key: z.custom<QuestionKey>().nullable(),
  hits: z.int(),
  visits: z.int(),
  followed_by: z.array(z.object({ message: z.string(), visits: z.int() })),
  feedback: z.object({ up: z.int(), down: z.int() }),
  sessions_diverged: z.int(),
  last_used_at: StoredInstant,
  created_at: StoredInstant,
  edited_by: z.int().nullable(),
  edited_at: StoredInstant.nullable(),
  version: z.int(),
  origin_node_id: z.int().nullable(),
  is_waiting: z.boolean(),
  warmed: z.boolean(),
  is_pinned: z.boolean(),
  path_keys: z.array(AnswerLookupKey),
});

const TreeRow = z.object({
  content_item_id: z.int(),
  sessions_diverged_at_start: z.int(),
  total: z.int(),
  waiting: z.int(),
  topic: NewConversationTopic,
  nodes: z.array(NodeRow),
});

const reachable = (actor: Actor, { content_item_id, node_id }: NodePath): SQL => sql`
  id = ${node_id} and content_item_id = ${content_item_id} and exists (
    select from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${content_item_id} and ${coursePermissionCondition(actor, "content:write")})`;

const Reach = z.object({ writes: z.boolean(), exists: z.boolean() });

/** 403 for staff who may read but not write, 404 for others. */
async function explainRefusal(db: Db, actor: Actor, { content_item_id, node_id }: NodePath): Promise<never> {
  const [reach] = await rowsOf(
    db,
    Reach,
    sql`
      select ${coursePermissionCondition(actor, "content:write")} as writes,
             exists (select from cache_nodes where id = ${node_id} and content_item_id = ${content_item_id}) as exists
      from content_items join courses on courses.id = content_items.course_id
      where content_items.id = ${content_item_id} and ${coursePermissionCondition(actor, "course:read-unpublished")}`,
  );
  if (!reach) throw notFound("Content item");
  throw reach.exists && !reach.writes ? forbidden() : notFound("Node");
}

const asNode = (
  { followed_by, path_keys, ...node }: Omit<z.output<typeof NodeRow>, "page_key">,
  isLive: (path: readonly AnswerLookupKey[]) => boolean,
): CacheNode => ({
  ...node,
  key: node.key && { ...node.key, because: node.key.because ?? null },
  is_live: isLive(path_keys),
  options: optionShares(node.question, followed_by),
  ...movesTaken(node, followed_by),
  last_used_at: toInstant(node.last_used_at),
  created_at: toInstant(node.created_at),
  edited_at: node.edited_at && toInstant(node.edited_at),
});

/** Over all models and prompts of the following answers. */
function optionShares(
  question: Question | null,
  followedBy: readonly { message: string; visits: number }[],
): CacheNode["options"] {
  if (!question) return [];
  const all = followedBy.reduce((sum, { message, visits }) => sum + (isMove(message) ? 0 : visits), 0);
  return question.options.map(({ id, text }) => {
    const message = normalFormOfAnswer(question.questionId, id);
    const visits = followedBy.reduce((sum, child) => sum + (child.message === message ? child.visits : 0), 0);
    return { id, text, visits, share: all === 0 ? null : visits / all };
  });
}

/** For a question with a key. */
function movesTaken(
  { question, key }: Pick<z.output<typeof NodeRow>, "question" | "key">,
  followedBy: readonly { message: string; visits: number }[],
): Pick<CacheNode, "moves" | "moves_taken"> {
  const moves = question && key ? availableMoves(question) : [];
  const visitsOf = (move: string) =>
    followedBy.reduce((sum, { message, visits }) => sum + (message === move ? visits : 0), 0);
  return { moves, moves_taken: moves.map((move) => ({ move, visits: visitsOf(move) })) };
}
