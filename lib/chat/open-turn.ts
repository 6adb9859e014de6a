import { type SQL, sql } from "drizzle-orm";
import { activityParts } from "../activity/record.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import { graphParts, type PromptGraph } from "../prompts/graph.ts";
import { fingerprint } from "./fingerprint.ts";
import { kindOf, type MessageKind } from "./message-kind.ts";

/** How long one answer may take. */
export const answerSeconds = 120;

/** A process that dies while answering blocks its session for no longer; one that lives renews its lease. */
export const leaseSeconds = 30;

/** Candidates beyond the first that have the key but for the prompt's fingerprint, which SQL cannot compute. */
export const candidatesRead = 8;

/**
 * A node that answers the message, for one state of the prompts that the tutor's prompt references; without chunks
 * while its answer is being written.
 */
export type Candidate = { id: number; prompt_fingerprint: string; chunks: string[] | null };

/** Everything that answering a message takes, from the one statement that also stored it. */
export type OpenTurn = {
  session_id: number;
  message_id: number;
  token: string;
  message: MessageKind;
  content: string;
  content_item_id: number;
  content_fingerprint: string;
  /** Whether the answer lies on a path that is shared: looked up, and stored on a miss. */
  shared: boolean;
  parent_id: number | null;
  model: string;
  graph: PromptGraph | null;
  candidates: Candidate[];
};

type OpenedRow = {
  user_id: number;
  message_id: number | null;
  content_item_id: number;
  content_fingerprint: string;
  shared: boolean;
  parent_id: number | null;
  model: string;
  graph: PromptGraph | null;
  candidates: Candidate[];
};

type Opening = { sessionId: number; content: string; defaultModel: string; tutorPrompt: string; now: Date };

/**
 * Opens a turn in one statement: takes the session's lease, stores the learner's message, sets what the message
 * does to the session's state, and reads the tutor's prompt with its references and the nodes that may hold the
 * answer. 404 without such a session, 403 for another's, 409 while an answer is being written.
 */
export async function openTurn(db: Db, actor: Actor, opening: Opening): Promise<OpenTurn> {
  const message = kindOf(opening.content);
  const token = crypto.randomUUID();
  const { rows } = await db.execute<OpenedRow>(statement(actor, opening, message, token));
  const row = rows[0];
  if (!row) throw notFound("Chat session");
  if (row.user_id !== actor.id) throw forbidden("Not your chat session");
  if (row.message_id === null) throw conflict("An answer is already being written");
  const { user_id: _, message_id, ...opened } = row;
  return { ...opened, session_id: opening.sessionId, message_id, token, message, content: opening.content };
}

function statement(actor: Actor, opening: Opening, message: MessageKind, token: string): SQL {
  const { sessionId, content, defaultModel, tutorPrompt, now } = opening;
  return sql`
    with recursive topic as (
      select chat_sessions.user_id, chat_sessions.content_item_id, chat_sessions.content_fingerprint,
             chat_sessions.cache_node_id, content_items.university_id, content_types.name as content_type,
             coalesce(courses.llm_model, ${defaultModel}) as model,
             ${isShared(message)} as shared,
             ${leavesTree(message)} as diverges
      from chat_sessions
      join content_items on content_items.id = chat_sessions.content_item_id
      join content_types on content_types.id = content_items.content_type_id
      join courses on courses.id = content_items.course_id
      where chat_sessions.id = ${sessionId}
    ), lease as (
      update chat_sessions
      set answering_until = now() + make_interval(secs => ${leaseSeconds}), answering_token = ${token}::uuid,
          cache_state = case when topic.diverges then 'diverged' else chat_sessions.cache_state end
      from topic
      where chat_sessions.id = ${sessionId} and chat_sessions.user_id = ${actor.id}
        and (chat_sessions.answering_until is null or chat_sessions.answering_until < now())
      returning chat_sessions.id
    ), asked as (
      insert into chat_messages (session_id, role, content) select id, 'user', ${content} from lease returning id
    ), done as (
      select 'asked' as verb, 'content_item' as object_type, content_item_id as object_id, university_id,
             content_item_id, null::int as course_offering_id
      from topic, asked
    ), ${activityParts(actor, now, sql`done`)},
    tutor as (
      select prompts.id, prompts.name, prompts.version, prompts.prompt
      from topic
      join prompt_labels on prompt_labels.label = 'production'
        and prompt_labels.name in (${tutorPrompt} || '-' || topic.content_type, ${tutorPrompt})
      join prompts on prompts.id = prompt_labels.prompt_id
      order by length(prompts.name) desc
      limit 1
    ), ${graphParts(sql`tutor`)},
    candidate as (
      select cache_nodes.id, cache_nodes.prompt_fingerprint, cache_nodes.chunks
      from topic, tutor, cache_nodes
      where topic.shared and ${sharedHash(message)}
        and cache_nodes.content_item_id = topic.content_item_id and ${atCursor(message)}
        and cache_nodes.prompt_name = tutor.name and cache_nodes.prompt_version = tutor.version
        and cache_nodes.model = topic.model and cache_nodes.content_fingerprint = topic.content_fingerprint
      order by cache_nodes.id desc
      limit ${candidatesRead}
    )
    select topic.user_id, (select id from asked) as message_id, topic.content_item_id, topic.content_fingerprint,
           topic.shared, ${message.kind === "answer" ? sql`topic.cache_node_id` : sql`null::int`} as parent_id,
           topic.model, (select graph from prompt_graph) as graph,
           coalesce((select json_agg(candidate) from candidate), '[]') as candidates
    from topic`;
}

/** An answer without a cursor has no path, and a session that has left the tree never comes back. */
function isShared({ kind }: MessageKind): SQL {
  if (kind === "free") return sql`false`;
  const onPath = kind === "start" ? sql`true` : sql`chat_sessions.cache_node_id is not null`;
  return sql`(courses.cache_enabled and chat_sessions.cache_state = 'tracking' and ${onPath})`;
}

/** Free text leaves the tree in any case; an answer without a path does so where answers are shared at all. */
function leavesTree({ kind }: MessageKind): SQL {
  if (kind === "free") return sql`true`;
  if (kind === "start") return sql`false`;
  return sql`(courses.cache_enabled and chat_sessions.cache_node_id is null)`;
}

const sharedHash = (message: MessageKind): SQL =>
  message.kind === "free" ? sql`false` : sql`cache_nodes.message_hash = ${fingerprint(message.normalForm)}`;

/** `is not distinct from` would not use the index, so roots and children are asked for in their own words. */
const atCursor = ({ kind }: MessageKind): SQL =>
  kind === "start" ? sql`cache_nodes.parent_id is null` : sql`cache_nodes.parent_id = topic.cache_node_id`;
