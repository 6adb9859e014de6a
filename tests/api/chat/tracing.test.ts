import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startLangfuseStandIn } from "../../support/langfuse-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld, type World } from "../../support/world.ts";
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
});

/** A new person in a conversation about a new topic. */
async function start(world: World) {
  const make = makersOf(world);
  const { item } = await make.topic();
  const person = await make.person();
  return { person, session: await openSession(world.as(person), item.id) };
}

/** A message's stream as it comes: when its last event was there, and when it closed, in milliseconds. */
async function timesOf(world: World, person: { id: number }, sessionId: number) {
  const started = performance.now();
  const response = await world.app.request(`/api/v1/chat/sessions/${sessionId}/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await world.as(person).token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ content: "Start." }),
  });
  let done = 0;
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes);
    if (!done && text.includes("message_id")) done = performance.now() - started;
  }
  return { done, closed: performance.now() - started };
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

  it("leaves nothing of the person but the id, and nothing of what was said", async () => {
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
  it.each(["hangs", "fails"] as const)("(%s) delays nothing on a server", async (behaviour) => {
    langfuse.behaviour = behaviour;
    const { person, session } = await start(server);
    const { closed, done } = await timesOf(server, person, session.id);
    expect(done).toBeGreaterThan(0);
    expect(closed - done).toBeLessThan(200);
  });

  it("is waited for on Lambda, half a second and once, when the learner has the whole answer", async () => {
    langfuse.behaviour = "hangs";
    const first = await start(onLambda);
    const waited = await timesOf(onLambda, first.person, first.session.id);
    expect(waited.done).toBeLessThan(400);
    expect(waited.closed - waited.done).toBeGreaterThan(400);
    expect(waited.closed - waited.done).toBeLessThan(700);
    const second = await start(onLambda);
    const unwaited = await timesOf(onLambda, second.person, second.session.id);
    expect(unwaited.closed - unwaited.done).toBeLessThan(200);
  });

  it("never delays a greeting that is sent as a whole, nor shows in an answer or with its keys in the log", async () => {
    langfuse.behaviour = "hangs";
    const { session } = await start(onLambda);
    const started = performance.now();
    expect((await session.greet()).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(400);
    langfuse.behaviour = "fails";
    expect(eventsOf(await session.say("And why?")).at(-1)).toHaveProperty("message_id");
    await expect.poll(() => JSON.stringify(onLambda.log)).toContain('"reason":"HTTP 500"');
    expect(JSON.stringify(onLambda.log)).not.toContain(secretKey);
    expect(JSON.stringify(onLambda.log)).not.toContain(btoa(`pk-of-this-test:${secretKey}`));
  });
});
