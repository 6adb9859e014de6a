import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { countTokens } from "./answer-writer.ts";
import {
  anthropicWriter,
  hasKey,
  type MessagesBody,
  type MessagesRequest,
  messagesPath,
  withPlainTexts,
} from "./anthropic-protocol.ts";
import { type StandInServer, startStandInServer } from "./stand-in-server.ts";
import { tutorAnswer } from "./tutoring.ts";

/** About 65 tokens a second, a real model's pace. */
const defaultChunkPauseMs = 20;

export type PracticeTutorOptions = {
  port?: number;
  /** Pause before each word of an answer, in milliseconds. */
  pauseMs?: number | undefined;
};

/**
 * Starts the practice tutor, which needs no key: a local server with the streaming Messages API and prepared
 * answers. Set `DIRECT_API_BASE_URL` to its `url`; any key works.
 */
export function startPracticeTutor({
  port = 0,
  pauseMs = defaultChunkPauseMs,
}: PracticeTutorOptions = {}): Promise<StandInServer> {
  let calls = 0;
  return startStandInServer(async (request, body, response) => {
    const sent = body as MessagesBody | undefined;
    const question = Array.isArray(sent?.messages) ? withPlainTexts(sent) : undefined;
    const refuse = anthropicWriter(response, "").refuse;
    if (request.method !== "POST" || request.url !== messagesPath)
      refuse(404, "not_found_error", `The practice tutor only answers POST ${messagesPath}`);
    else if (!hasKey(request))
      refuse(401, "authentication_error", "An API key is required; any value is accepted");
    else if (!Array.isArray(question?.messages) || question.stream !== true)
      refuse(400, "invalid_request_error", "`messages` and `stream: true` are required");
    else await speak(tutorAnswer(question, calls++), { question, pauseMs, response });
  }, port);
}

type Speech = { question: MessagesRequest; pauseMs: number; response: ServerResponse };

async function speak(answer: string, { question, pauseMs, response }: Speech): Promise<void> {
  const writer = anthropicWriter(response, question.model);
  const usage = {
    input_tokens: countTokens(question.system ?? "", ...question.messages.map(({ content }) => content)),
    output_tokens: countTokens(answer),
  };
  writer.begin(usage);
  for (const word of wordsOf(answer)) {
    if (pauseMs > 0) await sleep(pauseMs);
    if (response.destroyed) return;
    writer.text(word);
  }
  writer.end("end_turn", usage);
}

const wordsOf = (text: string): string[] => text.match(/\S+\s*/g) ?? [];
