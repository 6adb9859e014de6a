import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Caller } from "../../../lib/identity/auth/guards.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { answerIdentityInput } from "../../../lib/tutor/chat/claim-answer.ts";
import { storeAnswerAndCloseTurn } from "../../../lib/tutor/chat/close-turn.ts";
import type { ContentContext } from "../../../lib/tutor/chat/content-context.ts";
import type { Exchange } from "../../../lib/tutor/chat/history.ts";
import { openTurn } from "../../../lib/tutor/chat/open-turn.ts";
import { resolveTutorPrompt } from "../../../lib/tutor/chat/tutor-prompt.ts";
import { AnswerReader } from "../../../lib/tutor/dialogue/answer-reader.ts";
import { treeAnswersByLearnerForm } from "../../../lib/tutor/dialogue/choices.ts";
import { parseAnswerKey } from "../../../lib/tutor/dialogue/read-key.ts";
import { countTokens } from "../answer-writer.ts";
import { tutorAnswer } from "../tutoring.ts";

/** As in a local run, so learners who sign in later continue the class's tree. */
export const tutorSettings = { model: "practice-tutor", prompt: "tutor", maxMaterial: 100_000 };

/** US dollars per million tokens, as a local run shows them. */
const prices = { input: 3, output: 15 };

const Claimed = z.looseObject({
  generation: z.int(),
  call: z.int(),
  context: z.custom<ContentContext>(),
  exchanges: z.custom<Exchange[]>(),
});

/** One turn of a learner with the practice tutor: a stored answer, or a new one. */
export async function takeTurn(
  db: Db,
  caller: Caller,
  sessionId: number,
  content: string,
  now: Date,
): Promise<void> {
  const { model, prompt: tutorPrompt } = tutorSettings;
  const settings = { defaultModel: model, allowedModels: [], tutorPrompt, now };
  const turn = await openTurn(db, caller, sessionId, { content }, settings);
  if ("stored" in turn) return;
  const prompt = resolveTutorPrompt(turn);
  const maker = crypto.randomUUID();
  const asked = {
    ...answerIdentityInput(turn, prompt),
    maker,
    seconds: 60,
    budget: { material: tutorSettings.maxMaterial, reserve: 4000 },
  };
  const [claim] = await rowsOf(
    db,
    z.object({ claimed: Claimed }),
    sql`select claim_answer_generation(${JSON.stringify(asked)}::jsonb) as claimed`,
  );
  if (!claim) throw new Error("The demonstration's answer was not claimed");
  const { generation, call, context, exchanges } = claim.claimed;
  const messages = [
    ...exchanges.flatMap(({ question, answer }) => [
      { role: "user" as const, content: question },
      { role: "assistant" as const, content: answer },
    ]),
    { role: "user" as const, content: turn.content },
  ];
  const system = `- Topic: "${context.title}"\n- In short: "${context.description}"`;
  const written = tutorAnswer({ system, messages }, generation);
  const answer = readAnswer(written);
  const input = countTokens(prompt.template, JSON.stringify(context), ...messages.map((one) => one.content));
  const output = countTokens(written);
  const used = { input, output, cost: input * prices.input + output * prices.output, first_word: 600 };
  await db.execute(sql`
    select finish_generation_and_store_answer(
      ${generation}, ${maker}::uuid, ${JSON.stringify(answer)}::jsonb, ${call}::bigint, ${JSON.stringify(used)}::jsonb)`);
  if (turn.shared) await storeAnswerAndCloseTurn(db, turn, generation);
}

/** The answer as the service stores it: chunks, and its question with key. */
function readAnswer(text: string) {
  const reader = new AnswerReader();
  const words = text.match(/\S+\s*/g) ?? [];
  const chunks = [...words.flatMap((word) => reader.take(word)), ...reader.end()];
  const { question, keys } = reader;
  const key = question && parseAnswerKey(question, keys);
  const choices = question && treeAnswersByLearnerForm(question, { hasKey: key !== undefined });
  return { chunks, question, choices, key };
}
