import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { questionBlockInTwoChunks } from "../../proof/chaos/llm-answer-modes.ts";
import { treeViolationsQuery } from "../../proof/chaos/tree-violations.ts";
import { type Deployment, greet, type Learner, openDeployment } from "./deployment.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await openDeployment(2);
});

afterAll(() => deployment.close());

const broken = ["Here is one.", "\n\n```mcq\n{", '"questionId": "q1", "options": [\n```\n'];

it("a producer that is killed during a repair leaves nothing, and the next one makes the answer", async () => {
  const { servers, llm, rows } = deployment;
  const [dying, living] = servers as [(typeof servers)[0], (typeof servers)[0]];
  const [first, ...others] = (await deployment.enrollLearners(5)) as [Learner, ...Learner[]];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  llm.script(
    { chunks: broken },
    {
      chunks: [
        ...questionBlockInTwoChunks("q1").slice(0, 1),
        held,
        ...questionBlockInTwoChunks("q1").slice(1),
      ],
    },
    { chunks: ["Here is another.", ...questionBlockInTwoChunks("q2")] },
  );
  const dropped = greet(dying, first).catch(() => "broken");
  await expect.poll(() => llm.requests.length).toBe(2);
  const following = Promise.all(others.map((learner) => greet(living, learner)));
  const waiting = sql`select count(*)::int as count from chat_sessions
    where answering_until > now() and answering_generation_id is not null`;
  await expect.poll(async () => (await rows(waiting))[0]).toEqual({ count: 5 });
  expect(await rows(sql`select from cache_nodes`)).toEqual([]);

  await dying.kill();
  await deployment.endLeases();
  release();
  expect(await dropped).toBe("broken");
  for (const { events } of await following) {
    const text = events.reduce((said, event) => ("restart" in event ? "" : said + event.content), "");
    expect(text).toBe(["Here is another.", ...questionBlockInTwoChunks("q2")].join(""));
    expect(events.at(-1)).toMatchObject({ done: true, question: { questionId: "q2" } });
    expect(events.filter((event) => "restart" in event).length).toBeLessThanOrEqual(1);
  }
  expect(llm.requests).toHaveLength(3);
  expect(await rows(sql`select question ->> 'questionId' as asks from cache_nodes`)).toEqual([
    { asks: "q2" },
  ]);
  expect(await rows(sql`select outcome, is_repair from llm_calls order by id`)).toEqual([
    { outcome: "complete", is_repair: false },
    { outcome: "lost", is_repair: true },
    { outcome: "complete", is_repair: false },
  ]);
  expect(await rows(sql`select from chat_messages where meta ->> 'stop' is not null`)).toEqual([]);
  expect(await rows(sql.raw(treeViolationsQuery))).toEqual([]);
});
