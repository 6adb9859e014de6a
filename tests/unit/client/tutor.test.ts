import { describe, expect, it } from "vitest";
import {
  askTutor,
  choiceOf,
  createPlatformClient,
  type PlatformError,
  readTutorEvents,
  StreamCut,
  type TutorEvent,
} from "../../../client/client.ts";

const end = 'data: {"content":"","done":true,"message_id":7}\n\n';
const piece = (content: string) => `data: ${JSON.stringify({ content, done: false })}\n\n`;

/** A stream of these parts, which breaks at the end if there is a fault. */
function streamOf(parts: (string | Uint8Array)[], fault?: Error): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(typeof part === "string" ? encoder.encode(part) : part);
      if (fault) controller.error(fault);
      else controller.close();
    },
  });
}

async function heard(events: AsyncIterable<TutorEvent>): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events)
    all.push("restart" in event ? "restart" : event.done ? "end" : event.content);
  return all;
}

describe("the events of an answer", () => {
  it("are read however the network cuts them, also in the middle of a character", async () => {
    const bytes = new TextEncoder().encode(piece("Grüße") + end);
    const parts = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await heard(readTutorEvents(streamOf(parts)))).toEqual(["Grüße", "end"]);
  });

  it("are read by the standard: other line ends, comments, fields without a space", async () => {
    const text = `: hello\r\n\r\nevent: message\r\ndata:{"content":"a",\r\ndata:"done":false}\r\n\r\n${end}`;
    expect(await heard(readTutorEvents(streamOf([text])))).toEqual(["a", "end"]);
  });

  it.each([undefined, new TypeError("network error")])(
    "that stop before the end are a cut: %s",
    async (fault) => {
      const events = readTutorEvents(streamOf([piece("a")], fault));
      await expect(heard(events)).rejects.toBeInstanceOf(StreamCut);
    },
  );
});

describe("a question to the tutor", () => {
  function serviceOf(...answers: (Response | Error)[]) {
    const bodies: unknown[] = [];
    const client = createPlatformClient({
      baseUrl: "https://api.example.edu",
      async fetch(request) {
        bodies.push(await request.json());
        const answer = answers.shift();
        if (!(answer instanceof Response)) throw answer ?? new Error("nothing more was expected");
        return answer;
      },
    });
    return { client, bodies };
  }

  const stream = (...parts: string[]) => new Response(streamOf(parts));

  it("with a cut-off answer is sent again under the same id, and read again after `restart`", async () => {
    const { client, bodies } = serviceOf(
      stream(piece("Hal")),
      stream(piece("Half "), piece("and half"), end),
    );
    const events = askTutor(client, { sessionId: 3, content: "Why?", pauseMs: 0 });
    expect(await heard(events)).toEqual(["Hal", "restart", "Half ", "and half", "end"]);
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]).toEqual({ content: "Why?", client_message_id: expect.any(String) });
  });

  it("is resumed after a short network failure, and given up after some attempts", async () => {
    const away = new TypeError("Failed to fetch");
    const back = serviceOf(stream(piece("a")), away, stream(piece("a"), end));
    expect(await heard(askTutor(back.client, { sessionId: 3, content: "Why?", pauseMs: 0 }))).toEqual([
      "a",
      "restart",
      "a",
      "end",
    ]);
    const gone = serviceOf(stream(piece("a")), away, away);
    const asked = heard(askTutor(gone.client, { sessionId: 3, content: "Why?", pauseMs: 0 }));
    await expect(asked).rejects.toBeInstanceOf(StreamCut);
  });

  it("that is rejected throws the service's error, with the retry time", async () => {
    const refusal = Response.json(
      { detail: "An answer is already being written" },
      {
        status: 409,
        headers: { "Retry-After": "3" },
      },
    );
    const { client } = serviceOf(refusal);
    const asked = heard(askTutor(client, { sessionId: 3, content: "Why?" }));
    await expect(asked).rejects.toMatchObject({
      ...{ name: "PlatformError", status: 409, retryAfterSeconds: 3 },
      message: "An answer is already being written",
    } satisfies Partial<PlatformError>);
  });

  it("that chooses an option names the question and the option", () => {
    const question = { questionId: "q1", question: "?", options: [{ id: "B", text: "Right" }] };
    expect(JSON.parse(choiceOf(question, "B"))).toEqual({ questionId: "q1", answer: "B" });
  });
});
