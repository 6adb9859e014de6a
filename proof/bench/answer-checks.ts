import { AnswerChecks } from "../../lib/tutor/chat/answer-checks.ts";
import type { ContentContext } from "../../lib/tutor/chat/content-context.ts";
import { AnswerReader } from "../../lib/tutor/dialogue/answer-reader.ts";
import { parseAnswerKey } from "../../lib/tutor/dialogue/read-key.ts";
import { median } from "./measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

const characters = 4000;
const rounds = 40;

const sentences = (count: number, of: string) =>
  Array.from(
    { length: count },
    (_, at) => `${of} ${at} is what we look at in this part of the course, with $x_${at}$.`,
  ).join(" ");

/** Processor time of the checks of one answer that passes, with a long prompt, long notes and much material. */
export async function benchTutorAnswerChecks(): Promise<BenchVerdict[]> {
  const template = `${sentences(80, "Rule")}\n\`\`\`mcq\n{}\n\`\`\``;
  const topic = {
    ...{ content_type: "text", title: "Loops", description: null, language: "en" },
    data_json: { blocks: [{ type: "paragraph", text: sentences(1000, "Line") }] },
    tutor: {
      item_notes: { notes: sentences(60, "Note"), key_facts: [], common_errors: [], never_say: ["easy"] },
    },
  } as unknown as ContentContext;
  const options = ["One", "Two", "Three"].map((text, at) => ({ id: "ABC"[at], text }));
  const block = `\`\`\`mcq\n${JSON.stringify({ questionId: "q1", question: "Which?", options })}\n\`\`\``;
  const said = `${sentences(100, "Step")
    .slice(0, characters)
    .replace(/\$[^$]*$/, "")}\n\n${block}\n\`\`\`key\n{"answer":"B","skill":"s"}\n\`\`\``;
  const reader = new AnswerReader();
  const text = [...reader.take(said), ...reader.end()].join("");
  const { question, keys: writtenKeys } = reader;
  const answer = {
    text,
    question,
    key: question && parseAnswerKey(question, writtenKeys),
    writtenKeys,
    stop: null,
  };
  const request = { model: "m", system: template, messages: [{ role: "user" as const, content: "Start." }] };
  const times = Array.from({ length: rounds }, () => {
    const checks = new AnswerChecks(
      { topic, prompt: { template }, exchanges: [], move: null, request, maxMaterial: 100_000 },
      { error: (fault: unknown) => console.error(fault) },
    );
    const before = process.cpuUsage();
    const failed = checks.failuresOf(answer);
    const { user, system } = process.cpuUsage(before);
    if (failed.length > 0) throw new Error(`The answer of the bench failed: ${JSON.stringify(failed)}`);
    return (user + system) / 1000;
  });
  return [upperLimitVerdict("checks of an answer of 4,000 characters", median(times), 5, "ms of processor")];
}
