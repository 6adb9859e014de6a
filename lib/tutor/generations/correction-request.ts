import type { FailedCheck } from "../../../schema/db/tutor/cache.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";

export const correctionRequest = (
  request: LlmRequest,
  answer: string,
  failed: readonly FailedCheck[],
): LlmRequest => ({
  ...request,
  messages: [
    ...request.messages,
    { role: "assistant", content: answer },
    { role: "user", content: correctionOf(failed) },
  ],
});

const correctionOf = (failed: readonly FailedCheck[]): string =>
  [
    "Your last answer was not shown, for this reason:",
    ...failed.map(({ reason }) => `- ${reason}.`),
    "Write the whole answer to the message before it again, without this fault. Do not mention the fault or these words.",
  ].join("\n");
