import { setImmediate } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { ChunkWriter } from "../../../lib/tutor/generations/chunk-writer.ts";
import { makersOf } from "../../support/makers.ts";
import { type Relay, startRelay } from "../../support/relay.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
let relay: Relay;
let database: DatabaseHandles;

beforeAll(async () => {
  const url = new URL(world.deps.config.DATABASE_URL);
  relay = await startRelay(Number(url.port));
  url.port = String(relay.port);
  database = await connectDatabase({ url: url.href });
});

afterAll(async () => {
  await database.close();
  relay.cut();
  await relay.close();
});

/** An answer in the making under a lease that does not lapse here. */
async function lease() {
  const { item } = await makersOf(world).topic();
  const token = crypto.randomUUID();
  const { rows } = await world.deps.db.execute<{ id: number }>(sql`
    insert into generations (content_item_id, message, prompt_fingerprint, content_fingerprint,
      prompt_name, prompt_version, model, token, lease_until, maker_until)
    values (${item.id}, 'Start.', 'prompt', 'content', 'tutor', 1, 'model', ${token}::uuid,
      now() + interval '1 hour', now() + interval '1 hour')
    returning id`);
  return { generation: Number(rows[0]?.id), token };
}

async function pieces() {
  const { rows } = await world.deps.db.execute(
    sql`select first_chunk, chunks from generation_pieces order by first_chunk`,
  );
  return rows;
}

it("chunks after an unacknowledged write leave no gap", async () => {
  const writer = new ChunkWriter(database.db, await lease(), () => {}, true);
  await database.db.execute(sql`select 1`);
  relay.cutBeforeNextAnswer();
  writer.add(["one "]);
  // It is under way by then, and is sent again a tenth of a second later.
  await setImmediate();
  writer.add(["two "]);
  await expect.poll(pieces).toEqual([
    { first_chunk: 0, chunks: ["one "] },
    { first_chunk: 1, chunks: ["two "] },
  ]);
  await writer.stop();
});
