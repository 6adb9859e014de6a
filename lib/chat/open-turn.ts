import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Question } from "../../schema/question.ts";
import type { Caller } from "../auth/guards.ts";
import { explainReachRefusal } from "../auth/own-providers.ts";
import { lru } from "../caching/lru.ts";
import { AccessRefusal, refusalFor } from "../content/item-access.ts";
import type { Db } from "../db/client.ts";
import { preparedRowsOf, StoredInstant } from "../db/query/rows.ts";
import { kindOf } from "../dialogue/message-kind.ts";
import { isMove, type Move } from "../dialogue/moves.ts";
import {
  badRequest,
  conflict,
  forbidden,
  inactiveUniversity,
  inactiveUser,
  notFound,
  unauthorized,
} from "../errors.ts";
import { maxDepth, type PromptGraph } from "../prompts/inline.ts";
import { dateIn } from "../users/streak.ts";
import { comparedWith, type Said, saidOf } from "./said.ts";

/** An answer that is there: the tree held it, or the message was answered before. It is stored in the session. */
export type StoredAnswer = {
  id: number;
  created_at: string;
  meta: AnswerMeta;
  chunks: readonly string[];
  /** What it cites, where that was looked up. */
  sources?: ChatMessage["sources"];
  /** Whether its question has a key. */
  has_key: boolean;
  /** Of an answer to a move: the question that it carries. */
  carried: Question | null;
};

/** A message that is to be answered, with what answering it takes. Whoever has its token may end the turn. */
export type OpenTurn = {
  session_id: number;
  user_id: number;
  message_id: number;
  token: string;
  content: string;
  /** Whether the answer lies on a path that others take too: looked up, and kept for them. */
  shared: boolean;
  /** Of a shared answer: the node that it follows, null at the root, and the message in its normal form. */
  parent_id: number | null;
  message: string | null;
  /** What the message was taken as, where that is a move. */
  move: string | null;
  model: string;
  /** Whose course it is, and with whose credentials the LLM is called. */
  university_id: number;
  /** The answer that is just being made for it; then the prompts are not read. */
  generation: number | null;
  graph: PromptGraph | null;
};

/** What opening a turn comes to, and the move or the step that was just made by it: none where its message was said before. */
export type Opened = (OpenTurn | { stored: StoredAnswer }) & { made: Move | null; step: StepOutcome | null };

/** A message that is said, or one that was said before and not answered: `question`. */
export type MessageInput = { content: string; clientMessageId?: string | undefined; question?: number };

/** What decides how the tutor answers, besides the conversation. */
export type TutorSettings = {
  defaultModel: string;
  /** Those that a version of the prompt may name. */
  allowedModels: readonly string[];
  tutorPrompt: string;
  now: Date;
};

const StepOutcome = z.enum(["right", "wrong"]);
type StepOutcome = z.output<typeof StepOutcome>;

const Row = z.object({
  refusal: z
    .enum([
      "inactive person",
      "no such session",
      "not theirs",
      "out of reach",
      "own provider",
      "inactive university",
      ...AccessRefusal.options,
      "under exam",
      "sent before",
      "closed",
      "answered",
      "being answered",
      "another time zone",
      "what was asked",
      "no such move",
    ])
    .nullable(),
  time_zone: z.string(),
  message_id: z.int().nullable(),
  answer_id: z.int().nullable(),
  answered_at: StoredInstant.nullable(),
  meta: z.custom<AnswerMeta>().nullable(),
  chunks: z.string().nullable(),
  has_key: z.boolean().nullable(),
  carried: z.custom<Question>().nullable(),
  token: z.string().nullable(),
  content: z.string().nullable(),
  shared: z.boolean().nullable(),
  parent_id: z.int().nullable(),
  message: z.string().nullable(),
  model: z.string().nullable(),
  university_id: z.int().nullable(),
  generation: z.int().nullable(),
  graph: z.string().nullable(),
  questions: z.custom<Question[]>().nullable(),
  move: z.string().nullable(),
  step: StepOutcome.nullable(),
});
type Row = z.output<typeof Row>;

const given = sql.placeholder;

/** What `open_turn` answers, and takes: chat-turns.sql says what they are. */
const opening = preparedRowsOf(
  Row,
  sql`select refusal, time_zone, message_id, answer_id, answered_at, meta, chunks::text, has_key, carried, token,
        content, shared,
        parent_id, message, model, university_id, generation, graph::text, questions, move, step
      from open_turn(${given("session")}, ${given("person")}, ${given("version")}, ${given("content")},
        ${given("message")}, ${given("client_id")}, ${given("question")}::bigint, ${given("token")}::uuid,
        ${given("model")}, ${given("models")}::text[], ${given("prompt")}, ${maxDepth}, ${given("zone")}, ${given("today")}, ${given("moment")},
        ${given("reach")}::int, ${given("loose")}, ${given("offered")}::boolean,
        ${given("move")}::text, ${given("course")}::int,
        ${given("sign_in")}::bigint)`,
);

const refusals = {
  "inactive person": inactiveUser,
  "no such session": () => notFound("Chat session"),
  "not theirs": () => forbidden("not_your_session"),
  "inactive university": inactiveUniversity,
  // The same as for another's session: a token learns nothing of what it does not reach.
  "out of reach": () => forbidden("not_your_session"),
  "under exam": () => forbidden("exam_under_way"),
  closed: () => conflict("aside_closed"),
  "no such move": () => badRequest("no_such_move"),
  "being answered": () => conflict("answer_being_written", 3),
};

/**
 * Opens a turn in one round trip: stores the learner's message, sets what it does to the session's state and to their
 * streak, and answers it where the tree holds the answer. Else it takes the session's lease, and finds the answer
 * that is just being made, or reads the tutor's prompt with its references. A message that was said before is answered
 * with what was answered then, or taken up again. 401 and 403 for a person who is gone or inactive, 404 without such a
 * session or once its topic is hidden from the person, 403 for another's session, for a topic that takes an enrollment
 * or is locked, where the token does not reach it, and while an exam that silences the tutor is under way, 409 while another answer is being written and in an aside that is closed, 400 when its
 * client's id is that of another message, and for a move that is not offered.
 */
export async function openTurn(
  db: Db,
  caller: Caller,
  sessionId: number,
  saying: MessageInput,
  settings: TutorSettings,
): Promise<Opened> {
  const kind = kindOf(saying.content);
  const open = async (zone: string, { message, loose, move, offered }: Said): Promise<Row> => {
    const [opened] = await opening(db, {
      session: sessionId,
      person: caller.id,
      version: caller.token_version,
      content: saying.content,
      message,
      client_id: saying.clientMessageId ?? null,
      question: saying.question ?? null,
      token: crypto.randomUUID(),
      model: settings.defaultModel,
      models: settings.allowedModels,
      prompt: settings.tutorPrompt,
      zone,
      today: dateIn(zone, settings.now),
      moment: settings.now.toISOString(),
      reach: caller.reach?.university_id ?? null,
      course: caller.reach?.course_id ?? null,
      sign_in: caller.signed_in_at ?? null,
      loose,
      offered,
      move,
    });
    if (!opened) throw unauthorized();
    if (opened.refusal !== "what was asked") return opened;
    const asked = { hasKey: opened.has_key ?? false, isAgain: saying.question !== undefined };
    const compared = comparedWith(kind, opened.questions ?? [], asked);
    if (compared === "no such move") throw refusals[compared]();
    return open(zone, compared);
  };
  const row = await inOwnZone(caller, (zone) => open(zone, saidOf(kind)));

  const { refusal } = row;
  if (refusal === "sent before" && row.content !== saying.content)
    throw badRequest("client_message_id_taken", { id: saying.clientMessageId });
  const move = saying.question === undefined && refusal === null ? row.move : null;
  const made = move !== null && isMove(move) ? move : null;
  const { step } = row;
  if (row.answer_id !== null) return { stored: storedAnswer(row, row.answer_id), made, step };
  if (refusal === "sent before")
    return openTurn(
      db,
      caller,
      sessionId,
      { content: saying.content, question: present(row.message_id) },
      settings,
    );
  if (isGate(refusal)) throw refusalFor(refusal);
  if (refusal === "own provider") return explainReachRefusal(db, caller, universityOf(sessionId));
  if (refusal && refusal in refusals) throw refusals[refusal as keyof typeof refusals]();
  return {
    made,
    step,
    session_id: sessionId,
    user_id: caller.id,
    message_id: present(row.message_id),
    token: present(row.token),
    content: saying.content,
    shared: row.shared ?? false,
    parent_id: row.parent_id,
    message: row.message,
    move: row.move,
    model: present(row.model),
    university_id: present(row.university_id),
    generation: row.generation,
    graph: row.graph === null ? null : graphOf(row.graph),
  };
}

const universityOf = (sessionId: number) => sql`(
  select item.university_id from chat_sessions as s join content_items as item on item.id = s.content_item_id
  where s.id = ${sessionId})`;

/** Turn after turn reads the same few prompts: each is kept once, and all turns share its graph. */
const graphOf = lru(5, (stored: string): PromptGraph => JSON.parse(stored));

const isGate = (refusal: Row["refusal"]): refusal is AccessRefusal =>
  AccessRefusal.safeParse(refusal).success;

/** A class gets the same answer again and again: it is read once, and all turns share its list. */
const chunksOf = lru(100, (stored: string): readonly string[] => JSON.parse(stored));

const storedAnswer = (row: Row, id: number): StoredAnswer => ({
  id,
  created_at: toInstant(present(row.answered_at)),
  meta: row.meta ?? {},
  chunks: chunksOf(row.chunks ?? "[]"),
  has_key: row.has_key ?? false,
  carried: row.carried,
});

/** A column that has a value in every row of this kind. */
function present<T>(value: T | null): T {
  if (value === null) throw new Error("open_turn answered a row without a value that it always has");
  return value;
}

/** The time zones of people who were here lately: what day it is for them takes no round trip. */
const zones = new Map<number, string>();

const zonesKept = 10_000;

/** Opens the turn with the day in the person's last zone, and again where their zone is another. */
async function inOwnZone(caller: Caller, open: (zone: string) => Promise<Row>): Promise<Row> {
  const row = await open(zones.get(caller.id) ?? "UTC");
  if (row.refusal !== "another time zone") return row;
  if (zones.size >= zonesKept) zones.clear();
  zones.set(caller.id, row.time_zone);
  return inOwnZone(caller, open);
}
