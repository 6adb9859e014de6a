import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Question } from "../../../schema/question.ts";
import { AccessRefusal, accessRefusalError } from "../../courses/content/item-access.ts";
import {
  badRequest,
  conflict,
  conflictWithCurrentState,
  forbidden,
  inactiveUniversityError,
  inactiveUserError,
  notFound,
  unauthorized,
} from "../../errors.ts";
import type { Caller } from "../../identity/auth/guards.ts";
import { throwOutOfTokenReach } from "../../identity/auth/required-provider.ts";
import { dateInTimeZone } from "../../identity/users/streak.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import type { Db } from "../../platform/db/client.ts";
import { createPreparedRowsQuery, StoredInstant } from "../../platform/db/query/rows.ts";
import { classifyLearnerMessage } from "../dialogue/message-kind.ts";
import { isMove, type Move } from "../dialogue/moves.ts";
import { maxPromptReferenceDepth, type PromptGraph } from "../prompts/inline.ts";
import { findOwnMessage } from "./messages.ts";
import type { StoredAnswer } from "./stored-answer.ts";
import { matchMessageToQuestions, type NormalizedMessage, toNormalizedMessage } from "./turn-message.ts";

/** An unanswered message with its answer's input. The token's holder may end the turn. */
export type OpenTurn = {
  session_id: number;
  user_id: number;
  message_id: number;
  token: string;
  content: string;
  /** The answer is on a path that others share. */
  shared: boolean;
  /** For a shared answer: its parent node (null at the root) and the normal form. */
  parent_id: number | null;
  message: string | null;
  move: string | null;
  model: string;
  /** Its LLM credentials are used. */
  university_id: number;
  /** The running generation; then the prompts are not read. */
  generation: number | null;
  graph: PromptGraph | null;
};

/** A repeated message records no move or step. */
export type OpenTurnOrStoredAnswer = (OpenTurn | { stored: StoredAnswer }) & {
  made: Move | null;
  step: StepOutcome | null;
};

/** A new message, or a stored one without an answer: `question`. */
export type MessageInput = {
  content: string;
  clientMessageId?: string | undefined;
  /** The answer whose question it answers. */
  answersMessageId?: number | undefined;
  question?: number;
};

export type OpenTurnSettings = {
  defaultModel: string;
  /** Models that a prompt version may name. */
  allowedModels: readonly string[];
  tutorPrompt: string;
  now: Date;
};

const StepOutcome = z.enum(["right", "wrong"]);
type StepOutcome = z.output<typeof StepOutcome>;

/** From `open_turn` (chat-turns.sql). */
const Opening = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("stored"),
    id: z.int(),
    created_at: StoredInstant,
    meta: z.custom<AnswerMeta>(),
    chunks: z.string(),
    has_key: z.boolean(),
    carried: z.custom<Question>().nullable(),
    made: z.string().nullable(),
    step: StepOutcome.nullable(),
  }),
  z.object({
    kind: z.literal("open"),
    message_id: z.int(),
    token: z.string(),
    shared: z.boolean(),
    parent_id: z.int().nullable(),
    message: z.string().nullable(),
    move: z.string().nullable(),
    model: z.string(),
    university_id: z.int(),
    generation: z.int().nullable(),
    graph: z.string().nullable(),
    made: z.string().nullable(),
    step: StepOutcome.nullable(),
  }),
  z.object({
    kind: z.literal("refused"),
    why: z.enum([
      "ended token",
      "inactive person",
      "no such session",
      "not theirs",
      "out of reach",
      "own provider",
      "inactive university",
      ...AccessRefusal.options,
      "under exam",
      "client id taken",
      "closed",
      "being answered",
      "no such move",
      "another question",
    ]),
    /** With "another question": the answer that asks it. */
    current: z.int().nullish(),
  }),
  z.object({
    kind: z.literal("ask"),
    time_zone: z.string(),
    questions: z.custom<Question[]>().nullable(),
    has_key: z.boolean(),
    is_again: z.boolean(),
  }),
]);
type Opening = z.output<typeof Opening>;
type OfKind<Kind extends Opening["kind"]> = Extract<Opening, { kind: Kind }>;

const opening = createPreparedRowsQuery(
  z.object({ opened: Opening }),
  sql`select open_turn(${sql.placeholder("asked")}::jsonb) as opened`,
);

const refusals = {
  "ended token": unauthorized,
  "inactive person": inactiveUserError,
  "no such session": () => notFound("Chat session"),
  "not theirs": () => forbidden("not_your_session"),
  "inactive university": inactiveUniversityError,
  // A token must not learn of sessions that it does not reach.
  "out of reach": () => forbidden("not_your_session"),
  "under exam": () => forbidden("exam_under_way"),
  closed: () => conflict("aside_closed"),
  "no such move": () => badRequest("no_such_move"),
  "being answered": () => conflict("answer_being_written", 3),
};

/**
 * Opens a turn in one round trip, or in two if `open_turn` asks for more than the message. 401 and 403 for a
 * missing or inactive person. 404 without such a session or if its topic is hidden. 403 for another person's
 * session, a topic that is locked or needs an enrollment, a token that does not reach it, and an exam that
 * silences the tutor. 409 while another answer is pending, in a closed aside, and with the current question
 * for an answer to an earlier one. 400 for another message's client id and for a move that is not offered.
 */
export async function openTurn(
  db: Db,
  caller: Caller,
  sessionId: number,
  saying: MessageInput,
  settings: OpenTurnSettings,
): Promise<OpenTurnOrStoredAnswer> {
  const kind = classifyLearnerMessage(saying.content);
  const open = async (said: NormalizedMessage): Promise<Exclude<Opening, { kind: "ask" }>> => {
    const zone = zones.get(caller.id) ?? "UTC";
    const asked = askedOf(caller, sessionId, saying, settings, { ...said, zone });
    const [row] = await opening(db, { asked: JSON.stringify(asked) });
    if (!row) throw new Error("open_turn returned nothing");
    const { opened } = row;
    if (opened.kind !== "ask") return opened;
    keepZone(caller.id, opened.time_zone);
    if (!opened.questions) return open(said);
    const compared = matchMessageToQuestions(kind, opened.questions, {
      hasKey: opened.has_key,
      isAgain: opened.is_again,
    });
    if (compared === "no such move") throw refusals[compared]();
    return open(compared);
  };
  const opened = await open(toNormalizedMessage(kind));
  if (opened.kind === "refused") return refuse(db, caller, sessionId, saying, opened);
  const { step } = opened;
  const made = opened.made !== null && isMove(opened.made) ? opened.made : null;
  if (opened.kind === "stored") return { stored: storedAnswer(opened), made, step };
  const { kind: _, graph, ...turn } = opened;
  return {
    ...turn,
    made,
    step,
    session_id: sessionId,
    user_id: caller.id,
    content: saying.content,
    graph: graph === null ? null : graphOf(graph),
  };
}

const askedOf = (
  caller: Caller,
  session: number,
  saying: MessageInput,
  settings: OpenTurnSettings,
  { zone, ...said }: NormalizedMessage & { zone: string },
) => ({
  session,
  person: caller.id,
  version: caller.token_version,
  sign_in: caller.signed_in_at,
  reach: caller.reach?.university_id,
  course: caller.reach?.course_id,
  content: saying.content,
  client_id: saying.clientMessageId,
  answers: saying.answersMessageId,
  question: saying.question,
  ...said,
  token: crypto.randomUUID(),
  default_model: settings.defaultModel,
  models: settings.allowedModels,
  prompt: settings.tutorPrompt,
  deepest: maxPromptReferenceDepth,
  zone,
  today: dateInTimeZone(zone, settings.now),
  moment: settings.now.toISOString(),
});

async function refuse(
  db: Db,
  caller: Caller,
  sessionId: number,
  saying: MessageInput,
  { why, current }: OfKind<"refused">,
): Promise<never> {
  if (isGate(why)) throw accessRefusalError(why);
  if (why === "own provider") return throwOutOfTokenReach(db, caller, universityOf(sessionId));
  if (why === "client id taken") throw badRequest("client_message_id_taken", { id: saying.clientMessageId });
  if (why === "another question")
    throw conflictWithCurrentState(
      "another_question_asked",
      await findOwnMessage(db, caller, current ?? undefined),
    );
  throw refusals[why]();
}

const universityOf = (sessionId: number) => sql`(
  select item.university_id from chat_sessions as s join content_items as item on item.id = s.content_item_id
  where s.id = ${sessionId})`;

/** Turns read the same few prompts and share one graph. */
const graphOf = memoizeLru(5, (stored: string): PromptGraph => JSON.parse(stored));

const isGate = (refusal: string): refusal is AccessRefusal => AccessRefusal.safeParse(refusal).success;

/** A class gets the same answer: all turns share one list. */
const chunksOf = memoizeLru(100, (stored: string): readonly string[] => JSON.parse(stored));

const storedAnswer = ({
  id,
  created_at,
  meta,
  chunks,
  has_key,
  carried,
}: OfKind<"stored">): StoredAnswer => ({
  id,
  created_at: toInstant(created_at),
  meta,
  chunks: chunksOf(chunks),
  has_key,
  carried,
});

/** Time zones of recent users save a round trip for the current day. */
const zones = new Map<number, string>();

const zonesKept = 10_000;

function keepZone(person: number, zone: string): void {
  if (zones.get(person) === zone) return;
  if (zones.size >= zonesKept) zones.clear();
  zones.set(person, zone);
}
