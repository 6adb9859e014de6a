import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { questionBlockInTwoChunks } from "../../proof/chaos/llm-answer-modes.ts";
import { treeViolationsQuery } from "../../proof/chaos/tree-violations.ts";
import { type Deployment, greet, type Learner, openDeployment, openStream, type Told } from "./deployment.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await openDeployment(3);
});

afterAll(() => deployment.close());

beforeEach(async () => {
  for (const table of ["chat_sessions", "generations", "cache_nodes"])
    await deployment.rows(sql`delete from ${sql.identifier(table)}`);
  deployment.llm.reset();
});

const serverAt = (index: number) => {
  const server = deployment.servers[index % deployment.servers.length];
  if (!server) throw new Error("there is no server");
  return server;
};

const greetAll = (learners: readonly Learner[], firstServer = 0): Promise<Told[]> =>
  Promise.all(learners.map((learner, index) => greet(serverAt(firstServer + index), learner)));

/** The text that a learner's client shows: a restart replaces earlier text. */
const shown = ({ events }: Told): string =>
  events.reduce((text, event) => ("restart" in event ? "" : text + event.content), "");

/** The stored messages of a learner's session with their metadata. */
const stored = async ({ sessionId }: Learner) =>
  deployment.rows<{ content: string; meta: { source: string; stop?: string }; on_node: boolean }>(sql`
    select content, meta, cache_node_id is not null as on_node from chat_messages
    where session_id = ${sessionId} and role = 'assistant' order by id`);

const nodes = async () =>
  (await deployment.rows<{ count: number }>(sql`select count(*)::int as count from cache_nodes`))[0]?.count;

const isWhole = ({ events }: Told): boolean => {
  const end = events.at(-1);
  return end?.done === true && "message_id" in end;
};

const slowly = (telling: "first" | "second") =>
  Array.from({ length: 20 }, (_, index) => `${telling}, chunk ${index}. `);

const calls = () => deployment.llm.requests.length;

const callsReach = (number: number) => expect.poll(calls).toBe(number);

/** Waits until so many sessions subscribe to the generation. An open turn alone may not have claimed it yet. */
const listening = (sessions: number) =>
  expect
    .poll(async () => {
      const given = sql`select count(*)::int as count from chat_sessions
        where answering_until > now() and answering_generation_id is not null`;
      return (await deployment.rows<{ count: number }>(given))[0]?.count;
    })
    .toBe(sessions);

/** Waits until so many chunks are readable by other processes. */
const chunksAreThere = (chunks: number) =>
  expect
    .poll(async () => {
      const there = sql`select coalesce(sum(jsonb_array_length(chunks)), 0)::int as count from generation_pieces`;
      return (await deployment.rows<{ count: number }>(there))[0]?.count;
    })
    .toBeGreaterThanOrEqual(chunks);

function holding(): { held: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { held: promise, release: resolve };
}

describe("a provider's error in the middle of an answer, in front of a class of 4", () => {
  it("everyone gets the one second answer, restarted, and so does a later learner", async () => {
    const learners = await deployment.enrollLearners(5);
    const { held, release } = holding();
    deployment.llm.script(
      { chunks: ["one ", "two ", "three ", held], failure: "error event" },
      { chunks: ["another ", "answer"] },
    );
    const following = await Promise.all(
      learners.slice(0, 4).map((learner, index) => openStream(serverAt(index), learner)),
    );
    await Promise.all(following.map((stream) => stream.until("three ")));
    release();
    const told = await Promise.all(following.map((stream) => stream.rest()));
    for (const one of told) {
      expect(shown(one)).toBe("another answer");
      expect(one.events.filter((event) => "restart" in event)).toHaveLength(1);
      expect(isWhole(one)).toBe(true);
    }
    const later = await greet(serverAt(0), learners[4] as Learner);
    expect(shown(later)).toBe("another answer");
    expect(calls()).toBe(2);
    expect((await stored(learners[4] as Learner))[0]?.meta.source).toBe("cache");
  });
});

describe("a process that is frozen while it makes an answer, for longer than its lease", () => {
  it("sends its own learner after the thaw the answer that was stored since", async () => {
    const [first, second] = (await deployment.enrollLearners(2)) as [Learner, Learner];
    deployment.llm.script(
      { chunks: slowly("first"), pauseMs: 200 },
      { chunks: slowly("second"), pauseMs: 10 },
    );
    const frozen = greet(serverAt(0), first);
    await callsReach(1);
    await chunksAreThere(3);
    serverAt(0).freeze();
    await deployment.endLeases();
    const other = await greet(serverAt(1), second);
    expect(shown(other)).toBe(slowly("second").join(""));
    serverAt(0).thaw();
    const told = await frozen;
    expect(isWhole(told)).toBe(true);
    expect(shown(told)).toBe(shown(other));
    expect((await stored(first)).map(({ content }) => content)).toEqual([shown(told)]);
    expect(await nodes()).toBe(1);
    expect(await deployment.rows(sql.raw(treeViolationsQuery))).toEqual([]);
  });
});

describe("a learner who deletes the session of an answer that the class is waiting for", () => {
  it("loses nothing: classmates get the whole answer, and it is stored", async () => {
    const [first, ...others] = (await deployment.enrollLearners(7)) as [Learner, ...Learner[]];
    deployment.llm.script({ chunks: slowly("first"), pauseMs: 100 });
    const deleted = greet(serverAt(0), first);
    await callsReach(1);
    const following = greetAll(others);
    await listening(7);
    const reply = await fetch(`${serverAt(1).url}/api/v1/chat/sessions/${first.sessionId}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${first.token}` },
    });
    expect(reply.status).toBe(204);
    for (const one of await following) {
      expect(shown(one)).toBe(slowly("first").join(""));
      expect(one.events.some((event) => "restart" in event)).toBe(false);
      expect(isWhole(one)).toBe(true);
    }
    await deleted;
    expect(calls()).toBe(1);
    expect(await nodes()).toBe(1);
  });
});

describe("an answer that is cut off, with 12 subscribers", () => {
  it("is sent to all of them with one call, marked, and leaves no node", async () => {
    const learners = await deployment.enrollLearners(12);
    const { held, release } = holding();
    deployment.llm.script({ chunks: ["as far ", held, "as it "], stop_reason: "max_tokens" });
    const following = greetAll(learners);
    await listening(12);
    release();
    for (const one of await following) {
      expect(shown(one)).toBe("as far as it ");
      expect(isWhole(one)).toBe(true);
    }
    for (const learner of learners)
      expect(await stored(learner)).toMatchObject([
        { content: "as far as it ", meta: { stop: "length" }, on_node: false },
      ]);
    expect(calls()).toBe(1);
    expect(await nodes()).toBe(0);
  });
});

describe("a path that is purged during an answer below it", () => {
  it("is answered for each learner in private, and each call has the former messages", async () => {
    const learners = await deployment.enrollLearners(3);
    const greeting = ["Welcome.", ...questionBlockInTwoChunks("q1")];
    const { held, release } = holding();
    deployment.llm.script({ chunks: greeting }, { chunks: ["lost ", held, "words"] });
    for (const learner of learners) await greet(serverAt(0), learner);
    const answer = JSON.stringify({ answer: "a", questionId: "q1" });
    const following = Promise.all(learners.map((learner, index) => greet(serverAt(index), learner, answer)));
    await listening(3);
    await callsReach(2);
    await deployment.rows(sql`delete from cache_nodes`);
    release();
    for (const one of await following) expect(isWhole(one)).toBe(true);
    const [, ...later] = deployment.llm.requests;
    for (const { messages } of later)
      expect(messages.map(({ content }) => content)).toEqual(["Start.", greeting.join(""), answer]);
    expect(await nodes()).toBe(0);
    for (const learner of learners)
      expect(await stored(learner)).toMatchObject([{}, { on_node: false, meta: { source: "llm" } }]);
  });
});

describe("kill -9 of an answer's process", () => {
  it("costs 2 calls for a waiting class: a restart if the answer differs, and no error for anyone", async () => {
    const [first, ...others] = (await deployment.enrollLearners(7)) as [Learner, ...Learner[]];
    const { held, release } = holding();
    const [beginning = "", ...rest] = slowly("first");
    deployment.llm.script({ chunks: [beginning, held, ...rest] }, { chunks: slowly("second"), pauseMs: 20 });
    const broken = greet(serverAt(2), first).catch(() => "broken");
    await callsReach(1);
    const following = Promise.all(others.map((learner, index) => greet(serverAt(index % 2), learner)));
    await listening(7);
    await chunksAreThere(1);
    await serverAt(2).kill();
    await deployment.endLeases();
    release();
    expect(await broken).toBe("broken");
    for (const one of await following) {
      expect(shown(one)).toBe(slowly("second").join(""));
      expect(one.events.filter((event) => "restart" in event).length).toBeLessThanOrEqual(1);
      expect(isWhole(one)).toBe(true);
    }
    expect(calls()).toBe(2);
    expect(await nodes()).toBe(1);
  });

  it("lets its own learner send the message again when the subscriber's lease has expired", async () => {
    const [learner] = (await deployment.enrollLearners(1)) as [Learner];
    const { held, release } = holding();
    deployment.llm.script({ chunks: ["first ", held] });
    const broken = greet(serverAt(1), learner).catch(() => "broken");
    await callsReach(1);
    await serverAt(1).kill();
    await deployment.endLeases();
    expect(await broken).toBe("broken");
    release();
    await expect
      .poll(async () => isWhole(await greet(serverAt(0), learner)), {
        message: "another server answers",
        interval: 500,
      })
      .toBe(true);
  });
});
