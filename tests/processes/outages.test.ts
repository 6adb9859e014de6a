import { chmod, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { type LocalPostgres, startLocalPostgres } from "../../scripts/dev/postgres.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { type Deployment, greet, type Learner, openDeployment } from "./deployment.ts";

let folder: string;
let postgres: LocalPostgres;
let deployment: Deployment;

const start = (port?: number) =>
  startLocalPostgres({ dataDir: path.join(folder, "data"), durable: true, ...(port && { port }) });

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-outages-"));
  await chmod(folder, 0o755);
  postgres = await start();
  await migrate(postgres.url);
  deployment = await openDeployment(1, { databaseUrl: postgres.url });
});

afterAll(async () => {
  await deployment.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const answersOf = async ({ sessionId }: Learner) =>
  (
    await deployment.rows<{ answers: number; nodes: number }>(sql`
      select (select count(*)::int from chat_messages where session_id = ${sessionId} and role = 'assistant') as answers,
             (select count(*)::int from cache_nodes where content_item_id =
                (select content_item_id from chat_sessions where id = ${sessionId})) as nodes`)
  )[0];

const only = async () => {
  const [learner] = await deployment.enrollLearners(1);
  const [server] = deployment.servers;
  if (!learner || !server) throw new Error("there is nobody");
  return { learner, server };
};

describe("when the database becomes unavailable in mid-stream", () => {
  it("the stream ends with a clear error event, nothing is half-stored, and the same message works later", async () => {
    const { learner, server } = await only();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    deployment.llm.script({ chunks: ["first ", held, "last"], times: 2 });
    const heard = greet(server, learner);
    await expect.poll(() => deployment.llm.requests.length).toBe(1);
    await postgres.stop();
    release();
    const { status, events } = await heard;
    expect(status).toBe(200);
    expect(events.at(-1)).toEqual({ content: "", done: true, error: expect.any(String), code: "broke_off" });

    postgres = await start(postgres.port);
    expect(await answersOf(learner)).toEqual({ answers: 0, nodes: 0 });
    // Without a database, the session's lease could not be released. Expires it immediately.
    await deployment.rows(
      sql`update chat_sessions set answering_until = null where id = ${learner.sessionId}`,
    );
    await deployment.endLeases();
    const again = await greet(server, learner);
    expect(again.events.at(-1)).toMatchObject({ message_id: expect.any(Number) });
    expect(await answersOf(learner)).toEqual({ answers: 1, nodes: 1 });
  });

  it("a request during it is a 503 with a retry time", async () => {
    const { learner, server } = await only();
    await postgres.stop();
    const reply = await fetch(`${server.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${learner.token}` },
    });
    expect(reply.status).toBe(503);
    expect(reply.headers.get("retry-after")).toBeTruthy();
    postgres = await start(postgres.port);
    const later = await fetch(`${server.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${learner.token}` },
    });
    expect(later.status).toBe(200);
  });
});

describe("when the learner disconnects in mid-stream", () => {
  it("the answer is completed and stored all the same", async () => {
    const { learner, server } = await only();
    deployment.llm.script({ chunks: ["a ", "b ", "c ", "d"], pauseMs: 100 });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/v1/chat/sessions/${learner.sessionId}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${learner.token}` },
      body: JSON.stringify({ content: "Start." }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await expect.poll(() => answersOf(learner)).toEqual({ answers: 1, nodes: 1 });
  });
});
