import { type SQL, sql } from "drizzle-orm";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { createTokenService } from "../../lib/platform/secrets/tokens.ts";
import type { StreamEvent } from "../../schema/api/tutor/chat.ts";
import { cloneDatabase, requireNoQuestions } from "../support/database.ts";
import { type LlmStandIn, startLlmStandIn } from "../support/llm-stand-in.ts";
import { makersOf } from "../support/makers.ts";
import { noDeadline } from "../support/no-deadline.ts";
import { type ServerProcess, secretKey, startServerProcess } from "../support/server-process.ts";
import type { World } from "../support/world.ts";

/** Several server processes on one database and LLM, and a class of learners with sessions. */
export type Deployment = {
  servers: ServerProcess[];
  llm: LlmStandIn;
  rows<Row extends Record<string, unknown>>(query: SQL): Promise<Row[]>;
  enrollLearners(size: number): Promise<Learner[]>;
  /** Expires the leases of all generations, as happens seconds after a producer dies. */
  endLeases(): Promise<void>;
  close(): Promise<void>;
};

export type Learner = { sessionId: number; token: string };

export type Told = { status: number; retryAfter: string | null; events: StreamEvent[] };

/**
 * Opens a deployment, by default on a new database. Unless `leases` is "real", they last an hour: on a busy
 * machine a live producer may be silent for seconds.
 */
export async function openDeployment(
  processes: number,
  { databaseUrl, leases = "held" }: { databaseUrl?: string; leases?: "held" | "real" } = {},
): Promise<Deployment> {
  const cloned = databaseUrl ? { url: databaseUrl, drop: async () => {} } : await cloneDatabase();
  await requireNoQuestions(cloned);
  const llm = await startLlmStandIn();
  const config = loadConfig({
    ENVIRONMENT: "development",
    SECRET_KEY: secretKey,
    DATABASE_URL: cloned.url,
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "unused",
  });
  const deps = await createDeps(config, { database: await connectDatabase({ url: cloned.url }) });
  if (leases === "held")
    await deps.db.execute(
      sql`create or replace function producer_lease_duration() returns interval language sql immutable as $$ select interval '1 hour' $$`,
    );
  const servers = await Promise.all(
    Array.from({ length: processes }, () => startServerProcess(cloned.url, llm.url)),
  );
  return {
    servers,
    llm,
    rows: async (query) => (await deps.db.execute(query)).rows as never,
    enrollLearners: (size) => enrollLearners(deps, size),
    async endLeases() {
      await deps.db.execute(
        sql`update generations set lease_until = clock_timestamp() - interval '1 second' where state = 'writing'`,
      );
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      await deps.close();
      await llm.close();
      await cloned.drop();
    },
  };
}

/** Greets a learner through one server and reads the stream to its end. */
export async function greet(server: ServerProcess, learner: Learner, content = "Start."): Promise<Told> {
  const response = await send(server, learner, content);
  return toldBy(response, await response.text());
}

/** The same, reading incrementally: until a text appears, and then to the end. */
export async function openStream(server: ServerProcess, learner: Learner, content = "Start.") {
  const response = await send(server, learner, content);
  const reader = (response.body as ReadableStream<never>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readWhile = async (goesOn: () => boolean) => {
    while (goesOn()) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
  };
  return {
    async until(part: string): Promise<void> {
      await readWhile(() => !text.includes(part));
      if (!text.includes(part)) throw new Error(`the stream ended without "${part}": ${text}`);
    },
    async rest(): Promise<Told> {
      await readWhile(() => true);
      return toldBy(response, text);
    },
  };
}

const send = ({ url }: ServerProcess, { sessionId, token }: Learner, content: string): Promise<Response> =>
  fetch(`${url}/api/v1/chat/sessions/${sessionId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ content }),
    signal: noDeadline(),
  });

function toldBy({ ok, status, headers }: Response, text: string): Told {
  const blocks = ok ? text.split("\n\n").filter((block) => block.startsWith("data: ")) : [];
  const events = blocks.map((block) => JSON.parse(block.slice("data: ".length)));
  return { status, retryAfter: headers.get("retry-after"), events };
}

export const chunksOf = ({ events }: Told): string[] =>
  events.flatMap((event) => (event.done ? [] : event.content));

async function enrollLearners(deps: World["deps"], size: number): Promise<Learner[]> {
  const { item } = await makersOf({ deps } as World).topic();
  const { rows } = await deps.db.execute<{ id: number; user_id: number }>(sql`
    with people as (
      insert into users (email, full_name)
      select 'learner-' || ${item.id}::int || '-' || number || '@example.edu', 'Learner'
      from generate_series(1, ${size}::int) as number
      returning id
    )
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    select id, ${item.id}, ${JSON.stringify({ title: item.title })}::jsonb, ${"0".repeat(64)}, ${"0".repeat(64)} from people
    returning id, user_id`);
  const tokens = createTokenService(deps.config, deps.now);
  return Promise.all(
    rows.map(async ({ id, user_id }) => ({
      sessionId: id,
      token: (await tokens.issue({ id: user_id })).access_token,
    })),
  );
}
