import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { freezeTime, isPending } from "../../../support/frozen-time.ts";
import { startLangfuseStandIn } from "../../../support/langfuse-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { eventsOf, openSession } from "./support.ts";

const secretKey = "sk-lf-the-secret-key-of-this-test";

const langfuse = await startLangfuseStandIn();
afterEach(() => langfuse.reset());
afterAll(() => langfuse.close());

const settings = {
  OBS_HOST: `${langfuse.url}/`,
  OBS_PUBLIC_KEY: "pk-of-this-test",
  OBS_SECRET_KEY: secretKey,
};
const server = openWorld(settings);
const onLambda = openWorld({
  ...settings,
  AWS_LAMBDA_FUNCTION_NAME: "chat",
  CREDENTIAL_STORE: "database",
  FILE_STORE: "s3://files-of-this-test?region=eu-west-2",
});

async function start(world: World) {
  const make = makersOf(world);
  const { item } = await make.topic();
  const person = await make.person();
  return { person, session: await openSession(world.as(person), item.id) };
}

/** Starts a message's stream, reads up to the last event and returns a promise for its end. */
async function readToLastEvent(world: World, person: { id: number }, sessionId: number) {
  const response = await world.app.request(`/api/v1/chat/sessions/${sessionId}/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await world.as(person).token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ content: "Start." }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  while (!text.includes("message_id")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended early: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return { closed: reader.read().then(({ done }) => expect(done).toBe(true)) };
}

describe("an answer that the LLM makes", () => {
  it("is one trace, of the session and the learner, with the prompt and the tokens that are stored", async () => {
    const { person, session } = await start(server);
    server.llm.script({ chunks: ["Wel", "come."], input_tokens: 21, output_tokens: 4 });
    await session.say("Start.");
    const meta = await session.lastMeta();
    const [span] = await langfuse.spans(1);
    expect(span?.attributes).toMatchObject({
      "session.id": String(session.id),
      "user.id": String(person.id),
      "langfuse.observation.prompt.name": meta.prompt_name,
      "langfuse.observation.prompt.version": meta.prompt_version,
      "langfuse.observation.model.name": meta.model,
      "langfuse.observation.usage_details": '{"input":21,"output":4}',
      "langfuse.observation.metadata.end": "complete",
    });
  });

  it("contains only the person's id, and no text", async () => {
    const { session } = await start(server);
    server.llm.script({ chunks: ["The secret of life"] });
    await session.say("What is the secret of life?");
    await langfuse.spans(1);
    expect(langfuse.deliveries[0]?.text).not.toMatch(/secret of life|Person-|@example/);
  });

  it("is traced also when it broke off", async () => {
    const { session } = await start(server);
    server.llm.script({ chunks: ["Half"], failure: "error event" });
    await session.say("Start.");
    const [span] = await langfuse.spans(1);
    expect(span?.attributes).toMatchObject({
      "langfuse.observation.level": "ERROR",
      "langfuse.observation.status_message": expect.stringContaining("direct_api: "),
    });
  });

  it("is not traced again when the tree repeats it", async () => {
    const { session } = await start(server);
    await session.say("Start.");
    await session.say("Start.");
    expect(await session.lastMeta()).toMatchObject({ source: "cache" });
    await session.say("And why?");
    expect(await langfuse.spans(2)).toHaveLength(2);
  });
});

describe("a host that hangs or fails", () => {
  freezeTime();

  it.each(["hangs", "fails"] as const)("(%s) delays nothing on a server", async (behaviour) => {
    langfuse.behaviour = behaviour;
    const { person, session } = await start(server);
    const { closed } = await readToLastEvent(server, person, session.id);
    await closed;
    expect(langfuse.deliveries).toEqual([]);
  });

  it("is waited for on Lambda, half a second and once, when the learner has the whole answer", async () => {
    langfuse.behaviour = "hangs";
    const flush = vi.spyOn(onLambda.deps.tracer, "flush");
    const first = await start(onLambda);
    const { session } = await start(onLambda);
    expect((await session.greet()).status, "a greeting that is sent as a whole").toBe(200);
    const waiting = await readToLastEvent(onLambda, first.person, first.session.id);
    await expect.poll(() => flush.mock.calls.length).toBe(1);
    await vi.advanceTimersByTimeAsync(499);
    expect(await isPending(waiting.closed)).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    await waiting.closed;
    const second = await start(onLambda);
    const unwaited = await readToLastEvent(onLambda, second.person, second.session.id);
    await unwaited.closed;
    expect(flush).toHaveBeenCalledTimes(2);
  });

  it("appears neither in an answer nor with its keys in the log", async () => {
    langfuse.behaviour = "fails";
    const { session } = await start(onLambda);
    expect(eventsOf(await session.say("And why?")).at(-1)).toHaveProperty("message_id");
    await expect.poll(() => JSON.stringify(onLambda.log)).toContain('"reason":"HTTP 500"');
    expect(JSON.stringify(onLambda.log)).not.toContain(secretKey);
    expect(JSON.stringify(onLambda.log)).not.toContain(btoa(`pk-of-this-test:${secretKey}`));
  });
});
