import type { IncomingMessage, ServerResponse } from "node:http";
import {
  hasKey,
  type MessagesBody,
  type MessagesRequest,
  withPlainTexts,
} from "../../scripts/dev/anthropic-protocol.ts";

export type BatchReply =
  | { text: string; input_tokens?: number; output_tokens?: number; stop_reason?: string }
  | { errored: string }
  | "expired"
  | "canceled";

type Line = { custom_id: string; result: object };

export type StandInBatch = {
  id: string;
  created_at: string;
  requests: { custom_id: string; params: MessagesRequest }[];
  state: "in_progress" | "canceling" | "ended";
  isForgotten: boolean;
};

/**
 * The failure of the next sending: it arrives but the response is lost, it does not arrive, or it is
 * rejected.
 */
export type SendingFault = "answer lost" | "not arrived" | number;

/** Anthropic's Message Batches API in memory. Batches end when first polled, unless `held`. */
export function anthropicBatches(url: () => string) {
  const all: StandInBatch[] = [];
  const faults: SendingFault[] = [];
  let reply: (request: MessagesRequest, number: number) => BatchReply = () => ({ text: "As a batch." });
  let change: (lines: Line[]) => Line[] = (lines) => lines;
  let isHeld = false;

  function create(body: unknown, response: ServerResponse): void {
    const fault = faults.shift();
    if (fault === "not arrived") return void response.destroy();
    if (typeof fault === "number") return void refuse(response, fault, "invalid_request_error");
    const { requests } = body as { requests: { custom_id: string; params: MessagesBody }[] };
    const batch: StandInBatch = {
      id: `msgbatch_${all.length + 1}`,
      created_at: new Date().toISOString(),
      requests: requests.map(({ custom_id, params }) => ({ custom_id, params: withPlainTexts(params) })),
      state: "in_progress",
      isForgotten: false,
    };
    all.push(batch);
    if (fault === "answer lost") return void response.destroy();
    send(response, shown(batch));
  }

  function shown({ id, created_at, requests, state }: StandInBatch) {
    const isEnded = state === "ended";
    return {
      id,
      type: "message_batch",
      processing_status: state,
      request_counts: {
        processing: isEnded ? 0 : requests.length,
        succeeded: isEnded ? requests.length : 0,
        errored: 0,
        canceled: 0,
        expired: 0,
      },
      created_at,
      expires_at: created_at,
      ended_at: isEnded ? created_at : null,
      archived_at: null,
      cancel_initiated_at: null,
      results_url: isEnded ? `${url()}/v1/messages/batches/${id}/results` : null,
    };
  }

  const results = ({ requests }: StandInBatch): Line[] =>
    change(
      requests.map(({ custom_id, params }, index) => ({
        custom_id,
        result: resultOf(reply(params, index + 1), params.model),
      })),
    );

  /** Handles batch requests. Returns false for any other path. */
  function answer(request: IncomingMessage, body: unknown, response: ServerResponse): boolean {
    const path = new URL(request.url ?? "", "http://stand-in").pathname;
    const asked = /^\/v1\/messages\/batches(?:\/([^/]+)(?:\/(results|cancel))?)?$/.exec(path);
    if (!asked) return false;
    const [, id, verb] = asked;
    if (!hasKey(request)) refuse(response, 401, "authentication_error");
    else if (!id && request.method === "POST") create(body, response);
    else if (!id) {
      const listed = all.filter((one) => !one.isForgotten).toReversed();
      for (const one of listed) if (!isHeld) one.state = "ended";
      send(response, { data: listed.map(shown), has_more: false });
    } else
      answerOne(
        all.find((one) => one.id === id && !one.isForgotten),
        verb,
        response,
      );
    return true;
  }

  function answerOne(
    batch: StandInBatch | undefined,
    verb: string | undefined,
    response: ServerResponse,
  ): void {
    if (!batch) return void refuse(response, 404, "not_found_error");
    if (verb === "results") {
      response.writeHead(200, { "content-type": "application/x-jsonl" });
      return void response.end(
        results(batch)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(""),
      );
    }
    if (verb === "cancel") batch.state = "canceling";
    else if (!isHeld) batch.state = "ended";
    send(response, shown(batch));
  }

  return {
    answer,
    /** Oldest first. */
    all,
    reply(next: typeof reply) {
      reply = next;
    },
    changeResults(next: typeof change) {
      change = next;
    },
    hold(next: boolean) {
      isHeld = next;
    },
    fault(...next: SendingFault[]) {
      faults.push(...next);
    },
    reset() {
      reply = () => ({ text: "As a batch." });
      change = (lines) => lines;
      isHeld = false;
      faults.length = 0;
      all.length = 0;
    },
  };
}

function resultOf(reply: BatchReply, model: string): object {
  if (typeof reply === "string") return { type: reply };
  if ("errored" in reply)
    return { type: "errored", error: { type: "error", error: { type: reply.errored, message: "scripted" } } };
  const { text, input_tokens = 100, output_tokens = 20, stop_reason = "end_turn" } = reply;
  return {
    type: "succeeded",
    message: {
      ...{ id: "msg_stand_in", type: "message", role: "assistant", model, stop_reason, stop_sequence: null },
      content: [{ type: "text", text }],
      usage: { input_tokens, output_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  };
}

const send = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

const refuse = (response: ServerResponse, status: number, type: string) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ type: "error", error: { type, message: "scripted by the test" } }));
