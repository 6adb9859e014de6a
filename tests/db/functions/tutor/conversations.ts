import pg from "pg";
import { beforeEach } from "vitest";
import type { Row } from "../../../support/database.ts";
import type { Session } from "../session.ts";

/** Tokens of listeners and producers. */
export const listener = "00000000-0000-4000-8000-000000000001";
export const otherListener = "00000000-0000-4000-8000-000000000002";
export const producer = "00000000-0000-4000-8000-00000000000a";
export const otherProducer = "00000000-0000-4000-8000-00000000000b";

type Value = string | number | boolean | null | object;

const literal = (value: Value): string => {
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return pg.escapeLiteral(typeof value === "string" ? value : JSON.stringify(value));
};

const literals = (...values: Value[]): string => values.map(literal).join(", ");

/** The version of its prompt that a new installation's tutor follows. */
export const tutorVersion = 1;

const fingerprint = `(select plain_fingerprint from prompts where name = 'tutor' and version = ${tutorVersion})`;

export type MessageInput = {
  session?: number;
  person?: number;
  content?: string;
  /** The normal form; null off the path. */
  message?: string | null;
  client?: string | null;
  question?: number | null;
  token?: string;
  zone?: string;
  /** The university that the token alone reaches. */
  reach?: number | null;
  /** When it was signed in by, in seconds since 1970. */
  signIn?: number | null;
  /** The form to compare if the answer does not match unchanged. */
  loose?: string | null;
  /** True if an asked question offers it, by the service's comparison. */
  offered?: boolean | null;
  /** The name of a message that is called like a move. */
  move?: string | null;
};

type Claiming = {
  session?: number;
  token?: string;
  shared?: boolean;
  parent?: number | null;
  message?: string;
  by?: string;
  seconds?: number;
  move?: string | null;
  /** Whether the prompt refers to the item's surroundings, if the caller has read that. */
  surroundings?: boolean | null;
  /** The limits of the settings; without one there is none. */
  budget?: {
    turns_per_day?: number;
    turns_at_once?: number;
    tokens_per_month?: number;
    reserve?: number;
    material?: number;
  };
};

/** Ada's session 1 and Ben's session 2, about the content item 1. */
export const twoSessions = `
  insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
  overriding system value
  values (1, 1, 1, '{"title": "Carry"}', 'content', 'content'), (2, 2, 1, '{"title": "Carry"}', 'content', 'content')`;

/** Message 1 in Ada's session, a question. */
export const questionOfAda = `${twoSessions};
  insert into chat_messages (id, session_id, role, content) overriding system value values (1, 1, 'user', 'Why?')`;

/** Actions in the two sessions, which start over with each test. */
export function openConversations(session: Session) {
  beforeEach(() => session.rows(twoSessions));
  return conversationsOf(session);
}

/** Actions in the two sessions, over one connection. */
export function conversationsOf({
  rows,
  value,
}: { [K in "rows" | "value"]: (statement: string) => ReturnType<Session[K]> }) {
  /** The result of `open_turn` with its JSON texts parsed. */
  const open = async ({
    session = 1,
    person = session,
    content = "Start.",
    message = content,
    client = null,
    question = null,
    token = session === 1 ? listener : otherListener,
    zone = "UTC",
    reach = null,
    loose = null,
    offered = null,
    move = null,
    signIn = null,
  }: MessageInput = {}): Promise<Row> => {
    const asked = {
      ...{ session, person, version: 0, sign_in: signIn, reach },
      ...{ content, message, loose, move, offered, client_id: client, question, token, zone },
      ...{ default_model: "model", models: ["small"], prompt: "tutor", deepest: 5 },
      ...{ moment: "2026-03-05T10:00Z", today: "2026-03-05" },
    };
    const opened = (await value(`select open_turn(${literal(asked)})`)) as Row;
    const texts = ["chunks", "graph"].filter((name) => typeof opened[name] === "string");
    return {
      ...opened,
      ...Object.fromEntries(texts.map((name) => [name, JSON.parse(String(opened[name]))])),
    };
  };

  /** The result of `claim_answer_generation`. */
  const claim = async ({
    session = 1,
    token = session === 1 ? listener : otherListener,
    shared = true,
    parent = null,
    message = "Start.",
    by = producer,
    seconds = 120,
    budget = {},
    move = null,
    surroundings = false,
  }: Claiming = {}): Promise<Row> => {
    const asked = {
      ...{ session, token, shared, parent, message: shared ? message : null, move, maker: by, seconds },
      ...{ prompt: "tutor", prompt_version: tutorVersion, model: "model", uses_surroundings: surroundings },
      budget: { reserve: 100, ...budget },
    };
    return (await value(`select claim_answer_generation(
      ${literal(asked)}::jsonb || jsonb_build_object('prompt_fingerprint', ${fingerprint}))`)) as Row;
  };

  const append = (generation: number, chunks: string[], { first = 0, by = producer } = {}): Promise<Row[]> =>
    rows(`select * from append_chunks_and_renew_lease(${literals(generation, by, first, chunks)})`);

  const finish = (
    generation: number,
    chunks: string[],
    {
      by = producer,
      stop = null as string | null,
      question = null as object | null,
      choices = null as object | null,
      call = null as number | null,
      used = { input: 3, output: 4 } as object | null,
    } = {},
  ): Promise<Row[]> =>
    rows(
      `select * from finish_generation_and_store_answer(${literals(generation, by, { chunks, question, choices, stop }, call, used)})`,
    );

  const fail = (
    generation: number,
    attempt: number,
    {
      by = producer,
      call = null as number | null,
      used = {} as object,
      seconds = null as number | null,
      how = "failed",
    } = {},
  ): Promise<Row[]> =>
    rows(
      `select * from retry_or_fail_generation(${literals(generation, by, attempt, call, used, seconds, how)})`,
    );

  const close = (
    question: number,
    generation: number,
    { session = 1, token = listener } = {},
  ): Promise<Row[]> =>
    rows(
      `select * from end_waiting_turns_of_generation(${generation}, '{${session}}', '{${token}}', '{${question}}')`,
    );

  /** Opens a turn and claims its answer: the numbers of the message and of the answer in the making. */
  async function openAndClaim(saying: MessageInput = {}) {
    const turn = await open(saying);
    const { session = 1, token } = saying;
    const claimed = await claim({
      session,
      ...(token && { token }),
      shared: Boolean(turn["shared"]),
      parent: turn["parent_id"] as number | null,
      message: turn["message"] as string,
      move: turn["move"] as string | null,
    });
    return { question: Number(turn["message_id"]), generation: Number(claimed["generation"]) };
  }

  const storeNode = ({
    id = 1,
    item = 1,
    parent = null as number | null,
    message = "Start.",
    chunks = ["Hello, ", "Ada."],
    choices = null as object | null,
  } = {}): Promise<Row[]> =>
    rows(`insert into cache_nodes (id, content_item_id, parent_id, message, chunks, choices, prompt_name,
        prompt_version, model, prompt_fingerprint, content_fingerprint)
      overriding system value
      values (${literals(id, item, parent, message)}, ${literals(chunks, choices)},
        'tutor', ${tutorVersion}, 'model', ${fingerprint}, 'content')`);

  /** Pins the text of a node that was edited. */
  const pinNode = (node: number): Promise<Row[]> =>
    rows(`insert into answer_pins (
        content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
      select one.content_item_id, message_path_to_node(one.id), sha256_hex(message_path_to_node(one.id)::text), parent.question,
             question_identity_hash(parent.question), one.answer, one.question, one.choices, one.question_key,
             one.edited_by, one.edited_at
      from cache_nodes as one left join cache_nodes as parent on parent.id = one.parent_id where one.id = ${node}`);

  /** Moves a session's cursor to a node. */
  const standOn = (node: number, session = 1): Promise<Row[]> =>
    rows(`with heard as (
        insert into chat_messages (session_id, role, content, cache_node_id)
        select ${session}, 'user', message, null from cache_nodes where id = ${node}
        returning id)
      , answered as (
        insert into chat_messages (session_id, role, content, in_reply_to_id, cache_node_id)
        select ${session}, 'assistant', answer, heard.id, node.id
        from heard, cache_nodes as node where node.id = ${node})
      update chat_sessions set cache_node_id = ${node} where id = ${session}`);

  const lapse = (generation: number): Promise<Row[]> =>
    rows(
      `update generations set lease_until = clock_timestamp() - interval '1 second' where id = ${generation}`,
    );

  const stateOf = (generation: number): Promise<unknown> =>
    value(`select state from generations where id = ${generation}`);

  return {
    open,
    claim,
    append,
    finish,
    fail,
    close,
    openAndClaim,
    storeNode,
    pinNode,
    standOn,
    lapse,
    stateOf,
  };
}
