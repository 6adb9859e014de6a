import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { TrialCreate } from "../../../schema/api/tutor/trials.ts";
import { trialPersonas } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { topicContextJsonSql } from "../chat/answer-lookup.ts";
import type { TopicRow } from "../chat/content-context.ts";
import type { Exchange } from "../chat/history.ts";
import { maxPromptReferenceDepth, PromptGraph } from "../prompts/inline.ts";

export const RecordedAnswerNode = z.object({
  node_id: z.int(),
  content_item_id: z.int(),
  content_fingerprint: z.string(),
  prompt_fingerprint: z.string(),
  visits: z.int(),
  message: z.string(),
  exchanges: z.custom<Exchange[]>(),
  recorded: z.string(),
  question: z.custom<Question>().nullable(),
  key: z.custom<QuestionKey>().nullable(),
});

export type RecordedAnswerNode = z.output<typeof RecordedAnswerNode>;

const Found = z.object({
  items: z.array(z.object({ id: z.int(), course_id: z.int() })),
  llm_models: z.array(z.object({ course_id: z.int(), model: z.string() })),
  candidate: PromptGraph.nullable(),
  base: PromptGraph.nullable(),
  topics: z.array(z.custom<TopicRow>()),
  situations: z.array(RecordedAnswerNode),
});

export type TrialInput = z.output<typeof Found>;

export type TrialVersionsAndItems = { prompt_name: string; version: number } & Pick<
  TrialCreate,
  "against" | "content_item_ids" | "course_id" | "most_nodes" | "kind"
>;

export type TrialInputSettings = {
  allowedModels: readonly string[];
  defaultModel: string;
  maxMaterial: number;
};

/** Answers about outdated material are discarded. */
const timesAsMany = 4;

/**
 * The trial's items as `item`. Step trials: the items of their nodes. Conversations: the most visited.
 * Attacks: the named ones, else one per content type, preferably with notes.
 */
function chosenItems({ kind, course_id, most_nodes }: TrialVersionsAndItems): SQL {
  if (kind === "STEP") return sql`select distinct content_item_id as id, 0 as position from situation`;
  const ranked = sql`item left join lateral (
    select sum(visits) as visits from visited where content_item_id = item.id) as sums on true`;
  const byVisits = sql`coalesce(visits, 0) desc, id`;
  if (kind === "FREE")
    return sql`
      select id, row_number() over (order by ${byVisits}) as position from ${ranked}
      order by ${byVisits} limit ${Math.ceil(most_nodes / trialPersonas.length)}`;
  if (course_id === undefined) return sql`select id, id as position from item`;
  return sql`
    select distinct on (content_type_id) id, content_type_id as position from ${ranked}
    order by content_type_id, exists (select from tutor_notes where content_item_id = item.id) desc, ${byVisits}`;
}

/**
 * All input of a trial in one statement: editable items, both versions, and the current one's most visited
 * answers. A path counts once, and only if every message was an offered option, which excludes learners' own
 * text. Staff's replacement answers are excluded too.
 */
export async function findTrialInput(
  db: ReadDb,
  actor: Actor,
  about: TrialVersionsAndItems,
  { allowedModels, defaultModel, maxMaterial }: TrialInputSettings,
): Promise<TrialInput | undefined> {
  const { prompt_name, version, against, content_item_ids, course_id, most_nodes } = about;
  const wanted = content_item_ids
    ? sql`content_items.id = any(${sql.param(content_item_ids)}::int[])`
    : sql`content_items.course_id = ${course_id}`;
  const [found] = await rowsOf(
    db,
    Found,
    sql`
    with item as materialized (
      select content_items.id, content_items.course_id, content_items.content_type_id, courses.llm_model
      from content_items join courses on courses.id = content_items.course_id
      where ${wanted} and ${coursePermissionCondition(actor, "content:write")}
    ), named as materialized (
      select id, version, config from prompts where name = ${prompt_name} and version in (${version}, ${against})
    ), visited as materialized (
      select node.id, node.content_item_id, (node.visit_count + (
        select count(*) from cache_visits where node_id = node.id))::int as visits
      from item join cache_nodes as node on node.content_item_id = item.id
      where node.prompt_name = ${prompt_name} and node.prompt_version = ${against} and node.edited_at is null
      order by visits desc, node.id limit ${timesAsMany * most_nodes}
    ), situation as (
      select node.id as node_id, node.content_item_id, node.content_fingerprint, node.prompt_fingerprint, visited.visits,
             node.message, coalesce(way.exchanges, '[]') as exchanges, node.answer as recorded, node.question,
             node.question_key as key
      from visited join cache_nodes as node using (id) cross join lateral (${wayTo(sql`node.id`)}) as way
      where way.is_offered
    ), chosen as materialized (${chosenItems(about)})
    select (select coalesce(json_agg(json_build_object('id', id, 'course_id', course_id) order by id), '[]') from item)
             as items,
           (select coalesce(json_agg(distinct jsonb_build_object('course_id', course_id, 'model', effective_tutor_model(
              llm_model, (select config from named where version = ${version}),
              ${JSON.stringify(allowedModels)}::jsonb, ${defaultModel}))), '[]') from item) as llm_models,
           ${graphOf(version)} as candidate, ${graphOf(against)} as base,
           (select coalesce(json_agg(tutor_context_with_file_texts(${topicContextJsonSql}::jsonb, ${maxMaterial}) order by chosen.position), '[]')
            from chosen join content_items using (id) join courses on courses.id = content_items.course_id
            join modules as module on module.id = content_items.module_id
            join content_types as type on type.id = content_items.content_type_id) as topics,
           (select coalesce(json_agg(situation order by visits desc, node_id), '[]') from situation) as situations`,
  );
  return found;
}

/** With its config, if it exists. */
const graphOf = (version: number): SQL => sql`(
  select json_build_object('root', named.id, 'config', named.config, 'prompts', reached.prompts, 'links', reached.links)
  from named cross join referenced_prompts_with_links(array[named.id], 0, ${maxPromptReferenceDepth}) as reached where named.version = ${version})`;

const wayTo = (node: SQL): SQL => sql`
  with recursive above (id, parent_id, message, answer, question_key, depth) as (
    select id, parent_id, message, answer, question_key, 0 from cache_nodes where id = ${node}
    union all
    select it.id, it.parent_id, it.message, it.answer, it.question_key, above.depth + 1
    from above join cache_nodes as it on it.id = above.parent_id
  )
  select json_agg(json_strip_nulls(json_build_object('question', above.message, 'answer', above.answer,
           'key', above.question_key)) order by depth desc) filter (where depth > 0) as exchanges,
         bool_and(case when above.parent_id is null then is_start_message(above.message) else exists (
           select from cache_nodes as parent, jsonb_each_text(parent.choices) as choice
           where parent.id = above.parent_id and choice.value = above.message) end)
           as is_offered
  from above`;
