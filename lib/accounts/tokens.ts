import { sql } from "drizzle-orm";
import { requestFacts } from "../async/request-context.ts";
import type { Caller } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";

export async function endOwnTokens(db: Db, caller: Caller): Promise<void> {
  await db.execute(sql`select end_own_tokens(${caller.id}, ${requestFacts()}::jsonb)`);
}
