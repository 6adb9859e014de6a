import pg from "pg";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { openScratchDatabase } from "../migrations/scratch.ts";
import { writesDocument } from "./document.ts";
import { readWrites } from "./read.ts";

/** The committed docs/reference/writes.md, read from a migrated database. */
export async function writeWrites(): Promise<string> {
  await using scratch = await openScratchDatabase();
  await migrate(scratch.url);
  const client = new pg.Client(scratch.url);
  await client.connect();
  try {
    return writesDocument(await readWrites(client));
  } finally {
    await client.end();
  }
}
