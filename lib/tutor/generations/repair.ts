import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retrying } from "../../platform/db/retry-window.ts";
import { type LlmRequest, LlmTimeout } from "../../platform/llm/provider.ts";
import { describeError } from "../../platform/logging/log.ts";
import { limitsOf } from "../budgets/limits.ts";
import { parseQuestionOnly, type RepairedQuestion } from "../dialogue/answer-reader.ts";
import { longestBlock } from "../dialogue/lenient-json.ts";
import { CallMeter } from "./call-meter.ts";
import type { AnswerDraft } from "./draft.ts";
import type { AnswerProducer } from "./producer-deps.ts";

/** Subscribers have the text already and wait only for the question. */
const repairSeconds = 30;

/** After an unreadable question. */
const onceMore =
  "The block with the question in your last answer could not be read. Write the question again, and nothing else: one " +
  'block ```mcq that holds valid JSON in the form {"questionId": "...", "question": "...", "options": [{"id": "A", ' +
  '"text": "..."}, {"id": "B", "text": "..."}]}, with at least two options.';

const onceMoreByTool =
  "The call of the tool `ask` in your last answer, or the block that stands there, could not be read. Call the tool `ask` " +
  "with the question again, with at least two options, and say nothing else.";

const Begun = z.object({ call: z.int().nullable(), attempt: z.int() });

/**
 * Ends the producer's call and begins another, which is no turn of the user. `restart`: it writes the answer from
 * the beginning.
 */
export async function startFurtherCall(
  producer: AnswerProducer,
  kind: "restart" | "question alone",
): Promise<"begun" | "over budget" | "lost"> {
  const { db, lease, config, meter } = producer;
  const [begun] = await retrying(() =>
    rowsOf(
      db,
      Begun,
      sql`select call, attempt from start_repair_call(${lease.generation}, ${lease.token}::uuid, ${producer.call}::bigint,
        ${meter.used()}::jsonb, ${JSON.stringify(limitsOf(config))}::jsonb, ${kind === "restart"})`,
    ),
  );
  if (!begun) {
    producer.lost.abort();
    return "lost";
  }
  if (begun.call === null) return "over budget";
  producer.call = begun.call;
  producer.attempt = begun.attempt;
  return "begun";
}

/**
 * Asks the LLM once for the unreadable question alone, in a separate call within the answer's time and the
 * university's budget. Undefined without success or after the lease was lost. Failures never cost the answer.
 */
export async function repairQuestion(
  producer: AnswerProducer,
  request: LlmRequest,
  draft: AnswerDraft,
): Promise<RepairedQuestion | undefined> {
  const { config, meter } = producer;
  if ((await startFurtherCall(producer, "question alone")) !== "begun") return undefined;
  const asked: LlmRequest = {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: `${draft.chunks.join("")}${draft.broken?.raw ?? ""}` },
      { role: "user", content: request.tool ? onceMoreByTool : onceMore },
    ],
  };
  producer.meter = new CallMeter(asked, config.LLM_PRICES, meter);
  try {
    return parseQuestionOnly(await said(producer, asked));
  } catch (error) {
    await endFailed(producer, error);
    return undefined;
  }
}

/** The model's text, or the JSON of its tool call. */
async function said(
  { llm, meter, signal, lost, stopped }: AnswerProducer,
  request: LlmRequest,
): Promise<string> {
  let text = "";
  let isCalled = false;
  meter.start();
  const limits = [signal, lost.signal, stopped.signal, AbortSignal.timeout(repairSeconds * 1000)];
  const events = llm.stream({
    ...request,
    signal: AbortSignal.any(limits),
    onUsage: (usage) => meter.report(usage),
  });
  for await (const event of events) {
    if (event.type === "end") {
      meter.report(event, true);
      return text;
    }
    const more = event.type === "call" ? event.input : event.text;
    meter.addText(more);
    // The first call counts, even if text comes with it.
    if (isCalled) continue;
    if (event.type === "text") text += more;
    else if (event.name === request.tool?.name) {
      text = more;
      isCalled = true;
    }
    // Too long for a question block.
    if (text.length > 2 * longestBlock) return "";
  }
  throw new Error("the LLM's stream ended without its end");
}

async function endFailed({ db, call, meter, log, lost }: AnswerProducer, error: unknown): Promise<void> {
  const how = lost.signal.aborted ? "lost" : error instanceof LlmTimeout ? "timeout" : "failed";
  log.warn({ error: describeError(error) }, "the LLM failed to repair an unreadable question");
  await retrying(() =>
    db.execute(sql`select end_call(${call}::bigint, ${how}, ${meter.used()}::jsonb)`).then(() => {}),
  );
}
