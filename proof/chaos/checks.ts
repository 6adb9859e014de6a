import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import type { ChaosEnvironment } from "./environment.ts";
import { quoteAbbreviated } from "./ledger.ts";
import { failedCheckMarker } from "./llm-answer-modes.ts";
import { treeViolationsQuery } from "./tree-violations.ts";

const Violation = z.object({ rule: z.string(), node_id: z.int().nullable(), session_id: z.int().nullable() });

/** Applies only while processes live: killed or frozen ones still appear as subscribers. */
const rulesOfCalm = /has a maker while someone listens/;

/** Checks the database during the run, until the signal aborts. */
export async function watchAnswerTreeViolations(stage: ChaosEnvironment, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await findTreeViolations(stage, rulesOfCalm).catch(() => {});
    await sleep(1000, undefined, { signal }).catch(() => {});
  }
}

async function findTreeViolations({ deps, ledger }: ChaosEnvironment, except?: RegExp): Promise<void> {
  const found = await rowsOf(deps.db, Violation, sql.raw(treeViolationsQuery));
  for (const { rule, node_id, session_id } of found)
    if (!except?.test(rule)) ledger.violated(`Violated: ${rule} (node ${node_id}, session ${session_id})`);
}

/** Invariants after everyone received their answer. */
export async function checkFinalInvariants(stage: ChaosEnvironment): Promise<void> {
  await waitForMakers(stage);
  await findTreeViolations(stage);
  await checkTold(stage);
  for (const [rule, query] of [...rules, ...rulesOfPins(stage)]) await checkNone(stage, rule, query);
  checkCalls(stage);
}

const Count = z.object({ count: z.int() });

/** Answers without subscribers must end too. */
async function waitForMakers({ deps, ledger }: ChaosEnvironment): Promise<void> {
  const alive = sql`
    select ((select count(*) from generations where state = 'writing' and lease_until > clock_timestamp())
          + (select count(*) from chat_sessions where answering_until > clock_timestamp()))::int as count`;
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const [row] = await rowsOf(deps.db, Count, alive);
    if (row?.count === 0) return;
    await sleep(500);
  }
  ledger.violated(
    "Generations are still running, or have subscribers, half a minute after the last question",
  );
}

const allMessages = sql`(select * from chat_messages union all select * from chaos_deleted)`;

const Stored = z.object({
  id: z.int(),
  content: z.string(),
  source: z.string().nullable(),
  name: z.string().nullable(),
});

/** Every acknowledged answer is stored as delivered, and answers the learner's message. */
async function checkTold({ deps, ledger }: ChaosEnvironment): Promise<void> {
  const rows = await rowsOf(
    deps.db,
    Stored,
    sql`select answer.id, answer.content, answer.meta ->> 'source' as source, question.client_message_id as name
        from ${allMessages} as answer join ${allMessages} as question on question.id = answer.in_reply_to_id`,
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const { message, text, name } of ledger.told.values()) {
    const row = stored.get(message);
    if (!row) ledger.violated(`Answer ${message} was sent as ${quoteAbbreviated(text)}, but is not stored`);
    else if (row.content !== text)
      ledger.violated(
        `Answer ${message} was sent as ${quoteAbbreviated(text)}, but is stored as ${quoteAbbreviated(row.content)}`,
      );
    else if (name && row.name !== name)
      ledger.violated(`Answer ${message} was sent for ${name}, but is stored for ${row.name}`);
    if (row?.source === "cache") ledger.count("hits");
  }
  const unsent = rows.filter(({ name }) => name === null || !ledger.sent.has(name));
  if (unsent.length > 0) ledger.violated(`${unsent.length} answers are stored that no learner requested`);
}

/** Each query lists violations. */
const rules: [rule: string, query: SQL][] = [
  [
    "a repeated message is stored once",
    sql`select client_message_id as what from ${allMessages} as message where role = 'user'
        group by session_id, client_message_id having count(*) > 1 or client_message_id is null`,
  ],
  [
    "a message is answered once",
    sql`select in_reply_to_id::text as what from ${allMessages} as message where role = 'assistant'
        group by in_reply_to_id having count(*) > 1`,
  ],
  [
    "visits and hits match the stored answers",
    sql`
      select format('node %s: %s visits of %s, %s hits of %s', node.id, counted.visits, known.visits, counted.hits, known.hits)
        as what
      from cache_nodes as node
      cross join lateral (
        select node.visit_count + count(*) as visits, node.hit_count + count(*) filter (where hit) as hits
        from cache_visits where node_id = node.id) as counted
      cross join lateral (
        select count(*) as visits, count(*) filter (where meta ->> 'source' = 'cache') as hits
        from ${allMessages} as message where cache_node_id = node.id) as known
      where counted.visits <> known.visits or counted.hits <> known.hits`,
  ],
  [
    "an unreadable question is sent, marked, and not stored on a path",
    sql`
      select format('answer %s', id) as what from ${allMessages} as message
      where role = 'assistant' and (meta ->> 'stop' = 'malformed') and cache_node_id is not null
      union all
      select format('node %s', id) from cache_nodes where edited_at is null and answer like '%\`\`\`mcq%' and question is null`,
  ],
  [
    "an answer that fails a check is marked, and not stored on a path",
    sql`
      select format('answer %s', id) as what from ${allMessages} as message
      where role = 'assistant' and meta ? 'checks' and (cache_node_id is not null or on_shared_path)
      union all
      select format('node %s: %s', id, left(answer, 60)) from cache_nodes
      where edited_at is null and strpos(answer, ${failedCheckMarker}) > 0`,
  ],
  [
    "learners who only choose offered options stay in the tree",
    sql`
      select format('session %s', id) as what from chat_sessions as session
      where cache_state = 'diverged' and aside_of_id is null and not exists (
        select from chat_messages as said
        where said.session_id = session.id and said.role = 'user'
          and (said.content like 'Please%' or said.content like '%made up%'))`,
  ],
  [
    "a conversation has one open aside",
    sql`select aside_of_id::text as what from chat_sessions where aside_of_id is not null and closed_at is null
        group by aside_of_id having count(*) > 1`,
  ],
  [
    "a message of an aside is in the aside only",
    sql`select said.id::text as what from chat_messages as said join chat_sessions as session on session.id = said.session_id
        where said.content like '%beside the path, for the%' and session.aside_of_id is null`,
  ],
  [
    "an aside is answered in private",
    sql`select answer.id::text as what from chat_messages as answer join chat_sessions as aside on aside.id = answer.session_id
        where aside.aside_of_id is not null and (answer.on_shared_path or aside.cache_node_id is not null)`,
  ],
  [
    "each answer is a child of the learner's previous answer",
    sql`
      select format('answer %s from node %s', answer.id, node.id) as what
      from chat_messages as answer join cache_nodes as node on node.id = answer.cache_node_id
      where node.parent_id is not null and not exists (
        select from chat_messages as before
        where before.session_id = answer.session_id and before.id < answer.id and before.cache_node_id = node.parent_id)`,
  ],
];

/** Identifies an instructor's text by its first sentence. */
const nameIn = (text: SQL) => sql`substring(${text} from '^Text \\d+ of the instructor\\.')`;

/**
 * A pin acknowledged to an instructor is lost only by later instructors' actions, and appears nowhere else.
 */
const rulesOfPins = ({ ledger }: ChaosEnvironment): [rule: string, query: SQL][] => [
  [
    "a pin stays, unless it was replaced, purged, undone or dropped",
    sql`
      select text as what from jsonb_array_elements_text(${JSON.stringify([...ledger.pinned])}::jsonb) as text
      where text not in (select jsonb_array_elements_text(${JSON.stringify([...ledger.dropped])}::jsonb))
        and not exists (select from answer_pins as pin where ${nameIn(sql`pin.answer`)} = text)
        and not exists (
          select from tree_changes as later
          where later.undone_at is null and ${nameIn(sql`later.former_pin ->> 'answer'`)} = text)
        and not exists (
          select from tree_changes as own join tree_changes as undone on undone.content_item_id = own.content_item_id
          where ${nameIn(sql`own.answer`)} = text and undone.path = own.path and undone.undone_at is not null)`,
  ],
  [
    "no learner receives a pin of another question",
    sql`
      with holds (text, asked) as (
        select ${nameIn(sql`answer`)}, asked_hash from answer_pins
        union
        select ${nameIn(sql`answer`)}, asked_hash from tree_changes where answer is not null
        union
        select confirmed ->> 'text', question_identity_hash(nullif(confirmed -> 'asked', 'null'))
        from jsonb_array_elements(${JSON.stringify(ledger.confirmed)}::jsonb) as confirmed
      )
      select format('answer %s: %s', told.id, left(told.content, 40)) as what
      from ${allMessages} as told join cache_nodes as node on node.id = told.cache_node_id
      cross join lateral (
        select question_identity_hash((
          select before.question from ${allMessages} as before
          where before.session_id = told.session_id and before.id < told.id and before.cache_node_id = node.parent_id
          order by before.id desc limit 1)) as asked
      ) as learner
      where told.on_shared_path and told.content like 'Text % of the instructor.%'
        and not exists (
          select from holds where holds.text = ${nameIn(sql`told.content`)} and holds.asked = learner.asked)`,
  ],
];

const Found = z.object({ what: z.string().nullable() });

async function checkNone({ deps, ledger }: ChaosEnvironment, rule: string, query: SQL): Promise<void> {
  const found = await rowsOf(deps.db, Found, query);
  for (const { what } of found.slice(0, 5)) ledger.violated(`Violated: ${rule}: ${what}`);
}

/**
 * A path is generated again only if its call failed. Otherwise answers are lost only by a purge, or by a
 * kill, freeze or restart between their end and storage. Each may affect several.
 */
function checkCalls({ ledger, llm, university }: ChaosEnvironment): void {
  const lost = ledger.counted("kills") + ledger.counted("freezes");
  const lostByAll = ledger.counted("restarts of the database") * university.learners.length;
  const allowed = ledger.counted("purges") + 2 * lost + lostByAll;
  if (llm.unexplainedCalls() > allowed)
    ledger.violated(
      `The LLM was called ${llm.unexplainedCalls()} times for answers that it had already given`,
    );
}
