import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { type AnswerPin, excerptLength } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { answerPins } from "../../../schema/db/tutor/cache.ts";
import type { PinState } from "../../../schema/enums.ts";
import type { Question } from "../../../schema/question.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import {
  AnswerLookupKey,
  type AnswerLookupSettings,
  answerLookupKeyJsonSql,
  createNodeServedPredicate,
  NewConversationTopic,
  newConversationTopicJsonSql,
} from "./answer-lookup.ts";

export type AnswerPinPath = { content_item_id: number; pin_id: number };

/** An answer on the path to a pin, for any prompt. */
const OnTheWay = z.object({
  id: z.int(),
  parent_id: z.int().nullable(),
  depth: z.int(),
  key: AnswerLookupKey,
  question: z.custom<Question>().nullable(),
  asks_the_same: z.boolean(),
  offers_next: z.boolean(),
});

const PinRow = RowWithPageKey.extend({
  id: z.int(),
  path: z.array(z.string()),
  asked: z.custom<Question>().nullable(),
  answer: z.string(),
  pinned_by: z.int().nullable(),
  pinned_at: StoredInstant,
  way: z.array(OnTheWay),
});

type PinRow = Omit<z.output<typeof PinRow>, "page_key">;

const Pinned = z.object({ topic: NewConversationTopic, pins: z.array(PinRow) });

/** By creation, with their status; 404 unless staff of the course. */
export async function listAnswerPins(
  db: ReadDb,
  actor: Actor,
  contentItemId: number,
  query: Pagination,
  settings: AnswerLookupSettings,
): Promise<ListPage<AnswerPin>> {
  const page = createPageQuery(query, [ascending(answerPins.id)]);
  const pins = sql`select id, ${page.keyColumn} from answer_pins
    ${page.tail(sql`answer_pins.content_item_id = ${contentItemId}`)}`;
  const found = await readPins(
    db,
    sql`${coursePermissionCondition(actor, "tutor-answer:read")}`,
    contentItemId,
    pins,
    settings,
  );
  if (!found) throw notFound("Content item");
  const isLive = createNodeServedPredicate(found.topic, settings);
  return page.part(found.pins).map((pin) => asPin(pin, contentItemId, isLive));
}

/**
 * Serves a stale pin for the current question from then on. 404 if there is none, 403 without the right to
 * write, 400 if it is not stale or its path is gone.
 */
export async function confirmStaleAnswerPin(
  db: Db,
  actor: Actor,
  { content_item_id, pin_id }: AnswerPinPath,
  settings: AnswerLookupSettings,
): Promise<void> {
  const one = sql`select id, '' as page_key from answer_pins
    where id = ${pin_id} and content_item_id = ${content_item_id}`;
  const found = await readPins(
    db,
    sql`${coursePermissionCondition(actor, "content:write")}`,
    content_item_id,
    one,
    settings,
  );
  const pin = found?.pins[0];
  if (!found || !pin) throw await refusal(db, actor, { content_item_id, pin_id });
  const isLive = createNodeServedPredicate(found.topic, settings);
  const { state, above, here } = whereaboutsOf(pin, isLive);
  if (state !== "stale") throw badRequest("pin_holds");
  if (!above) throw badRequest("pin_leads_nowhere");
  const [confirmed] = await rowsOf(
    db,
    z.object({ done: z.boolean() }),
    sql`select update_answer_pin_to_current_question(${pin_id}, ${above.id}, ${here?.id ?? null}::bigint, ${actor.id}, ${requestAuditJson()}::jsonb) as done`,
  );
  if (!confirmed?.done) throw badRequest("answers_changed_meanwhile");
}

/** Not served from the next cache miss on. 404 if there is none, 403 without the right to write. */
export async function deleteAnswerPin(db: Db, actor: Actor, path: AnswerPinPath): Promise<void> {
  const dropped = await db.execute(sql`
    select delete_answer_pin(answer_pins.id, ${actor.id}, ${requestAuditJson()}::jsonb)
    from answer_pins join content_items on content_items.id = answer_pins.content_item_id
    join courses on courses.id = content_items.course_id
    where answer_pins.id = ${path.pin_id} and answer_pins.content_item_id = ${path.content_item_id}
      and ${coursePermissionCondition(actor, "content:write")}`);
  if (dropped.rowCount === 0) throw await refusal(db, actor, path);
}

const Reach = z.object({ exists: z.boolean() });

async function refusal(db: Db, actor: Actor, { content_item_id, pin_id }: AnswerPinPath) {
  const [reach] = await rowsOf(
    db,
    Reach,
    sql`select exists (select from answer_pins where id = ${pin_id} and content_item_id = ${content_item_id})
               and not ${coursePermissionCondition(actor, "content:write")} as exists
        from content_items join courses on courses.id = content_items.course_id
        where content_items.id = ${content_item_id} and ${coursePermissionCondition(actor, "course:read-unpublished")}`,
  );
  if (!reach) return notFound("Content item");
  return reach.exists ? forbidden() : notFound("Pin");
}

/** Pins of `listed` (`id`, `page_key`) with their paths' answers; undefined if the topic is not `open`. */
async function readPins(
  db: ReadDb,
  open: SQL,
  contentItemId: number,
  listed: SQL,
  settings: AnswerLookupSettings,
): Promise<z.output<typeof Pinned> | undefined> {
  const [found] = await rowsOf(
    db,
    Pinned,
    sql`
    select ${newConversationTopicJsonSql(settings)} as topic, coalesce((
      select json_agg(json_build_object(
        'id', pin.id, 'path', pin.path, 'asked', pin.asked, 'answer', left(pin.answer, ${excerptLength}),
        'pinned_by', pin.pinned_by, 'pinned_at', pin.pinned_at, 'way', ${wayTo(sql`pin`)}, 'page_key', page_key)
        order by pin.id)
      from (${listed}) as page join answer_pins as pin using (id)), '[]') as pins
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${contentItemId} and ${open}`,
  );
  return found;
}

/** From the root, as far as the answers exist. */
const wayTo = (pin: SQL): SQL => sql`(
  with recursive way (id, depth) as (
    select node.id, 1 from cache_nodes as node
    where node.content_item_id = ${pin}.content_item_id and node.parent_id is null and node.message = ${pin}.path ->> 0
    union all
    select node.id, way.depth + 1 from way join cache_nodes as node on node.parent_id = way.id
    where node.message = ${pin}.path ->> way.depth
  )
  select coalesce(json_agg(json_build_object(
    'id', node.id, 'parent_id', node.parent_id, 'depth', way.depth, 'key', ${answerLookupKeyJsonSql(sql`node`)},
    'question', node.question, 'asks_the_same', question_identity_hash(node.question) = ${pin}.asked_hash,
    'offers_next', node.choices is null or exists (
      select from jsonb_each_text(node.choices) as choice where choice.value = ${pin}.path ->> way.depth))
    order by way.depth, node.id), '[]')
  from way join cache_nodes as node using (id))`;

type Whereabouts = {
  state: PinState;
  /** The live answer whose question the pin follows. */
  above: z.output<typeof OnTheWay> | undefined;
  here: z.output<typeof OnTheWay> | undefined;
};

/** Walks a new session's answers along a pin's path. */
function whereaboutsOf({ path, way }: PinRow, isLive: (key: AnswerLookupKey) => boolean): Whereabouts {
  const live: z.output<typeof OnTheWay>[] = [];
  while (live.length < path.length) {
    const above = live.at(-1)?.id ?? null;
    const next = way.find((one) => one.parent_id === above && isLive(one.key));
    if (!next) break;
    live.push(next);
  }
  const here = live.length === path.length ? live.pop() : undefined;
  const above = live.length === path.length - 1 ? live.at(-1) : undefined;
  const leadsOn = live.at(-1)?.offers_next ?? true;
  const isStale = !leadsOn || (above !== undefined && !above.asks_the_same);
  return { state: isStale ? "stale" : here ? "live" : "waiting", above: leadsOn ? above : undefined, here };
}

function asPin(row: PinRow, content_item_id: number, isLive: (key: AnswerLookupKey) => boolean): AnswerPin {
  const { way: _, ...pin } = row;
  const { state, above } = whereaboutsOf(row, isLive);
  return {
    ...pin,
    content_item_id,
    pinned_at: toInstant(pin.pinned_at),
    state: state.toUpperCase() as AnswerPin["state"],
    asked_now: state === "stale" ? (above?.question ?? null) : null,
  };
}
