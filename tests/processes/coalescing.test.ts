import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  chunksOf,
  type Deployment,
  greet,
  type Learner,
  openDeployment,
  openStream,
  type Told,
} from "./deployment.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await openDeployment(4);
});

afterAll(() => deployment.close());

beforeEach(() => deployment.llm.reset());

const serverFor = (index: number) => {
  const server = deployment.servers[index % deployment.servers.length];
  if (!server) throw new Error("there is no server left");
  return server;
};

const greetAll = (learners: readonly Learner[]): Promise<Told[]> =>
  Promise.all(learners.map((learner, index) => greet(serverFor(index), learner)));

const pieces = Array.from({ length: 40 }, (_, index) => `piece ${index} `);

/** Nodes of the topic that these learners opened, and tutor messages in their sessions. */
async function leftBehind([first]: readonly Learner[]) {
  const topic = sql`(select content_item_id from chat_sessions where id = ${first?.sessionId ?? 0})`;
  const [row] = await deployment.rows<{
    nodes: number;
    writing: number;
    waiting: number;
    answers: number;
  }>(sql`
    select (select count(*)::int from cache_nodes where content_item_id = ${topic}) as nodes,
           (select count(*)::int from generations where state = 'writing') as writing,
           (select count(*)::int from generation_pieces) as waiting,
           (select count(*)::int from chat_messages
            where role = 'assistant' and session_id in (select id from chat_sessions where content_item_id = ${topic})
           ) as answers`);
  return row;
}

/** The number of learners who wait for an answer or receive one. */
async function answering({ rows }: Deployment): Promise<number | undefined> {
  const [row] = await rows<{ sessions: number }>(
    sql`select count(*)::int as sessions from chat_sessions where answering_until is not null`,
  );
  return row?.sessions;
}

describe("a class that opens a topic concurrently, across processes", () => {
  it("1000 first greetings cost one LLM call, and every stream is equal and complete", async () => {
    const learners = await deployment.enrollLearners(1000);
    deployment.llm.script({ chunks: pieces, pauseMs: 50 });
    const heard = await greetAll(learners);
    expect(deployment.llm.requests).toHaveLength(1);
    for (const one of heard) {
      expect(chunksOf(one)).toEqual(pieces);
      expect(one.events.at(-1)).toMatchObject({ done: true, message_id: expect.any(Number) });
    }
    expect(await leftBehind(learners)).toEqual({ nodes: 1, writing: 0, waiting: 0, answers: 1000 });
  });

  it("a subscriber receives the answer live: its first chunk long before its last", async () => {
    const learners = await deployment.enrollLearners(8);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    deployment.llm.script({ chunks: ["first ", held, "last"] });
    const first = greetAll(learners.slice(0, 1));
    await expect.poll(() => deployment.llm.requests.length).toBe(1);
    const follower = await openStream(serverFor(1), learners[5] as Learner);
    await follower.until("first ");
    release();
    expect(chunksOf(await follower.rest())).toEqual(["first ", "last"]);
    await first;
  });

  it("when the LLM fails for everyone, no caller hangs, no node is left, and few calls were made", async () => {
    const learners = await deployment.enrollLearners(40);
    deployment.llm.script({ status: 400, times: 50 });
    const heard = await greetAll(learners);
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([503]));
    expect(await leftBehind(learners)).toMatchObject({ nodes: 0, waiting: 0, answers: 0 });
  });

  it("when the provider gives a retry time, everyone gets it, in every process", async () => {
    const learners = await deployment.enrollLearners(8);
    deployment.llm.script({ status: 429, retryAfter: 17, times: 50 });
    const heard = await greetAll(learners);
    expect(new Set(heard.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(
      new Set(["503 17"]),
    );
    expect(deployment.llm.requests.length).toBeLessThanOrEqual(learners.length);
  });

  it("when the LLM fails, it is called once more, and everyone gets that answer", async () => {
    const learners = await deployment.enrollLearners(40);
    deployment.llm.script({ chunks: [], failure: "end without stop" }, { chunks: pieces, pauseMs: 5 });
    const heard = await greetAll(learners);
    for (const one of heard) expect(chunksOf(one)).toEqual(pieces);
    expect(deployment.llm.requests).toHaveLength(2);
    expect(await leftBehind(learners)).toEqual({ nodes: 1, writing: 0, waiting: 0, answers: 40 });
  });

  it("kill -9 of the producer in mid-stream: all subscribers complete, with two calls at most", async () => {
    const doomed = await openDeployment(3);
    try {
      const learners = await doomed.enrollLearners(21);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      doomed.llm.script({ chunks: [...pieces.slice(0, 10), held, ...pieces.slice(10)], times: 2 });
      const [holder, ...others] = doomed.servers;
      if (!holder) throw new Error("there is no server");
      const broken = greet(holder, learners[0] as Learner).catch(() => "broken");
      await expect.poll(() => doomed.llm.requests.length).toBe(1);
      const waiting = learners.slice(1).map((learner, index) => {
        const server = others[index % others.length];
        if (!server) throw new Error("there is no server");
        return greet(server, learner);
      });
      await expect.poll(() => answering(doomed)).toBe(learners.length);
      await holder.kill();
      await doomed.endLeases();
      release();
      expect(await broken).toBe("broken");
      for (const one of await Promise.all(waiting)) {
        expect(chunksOf(one).join("")).toBe(pieces.join(""));
        expect(one.events.at(-1)).toMatchObject({ message_id: expect.any(Number) });
      }
      expect(doomed.llm.requests.length).toBe(2);
    } finally {
      await doomed.close();
    }
  });
});
