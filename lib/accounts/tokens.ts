import { sql } from "drizzle-orm";
import { requestFacts } from "../async/request-context.ts";
import type { Caller } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";

export async function endOwnTokens(db: Db, caller: Caller): Promise<void> {
  await db.execute(sql`
    with ended as materialized (select end_tokens(${caller.id}) as version)
    select audit('tokens.ended', ${caller.id}, ${caller.id}, null, '{}', ${requestFacts()}::jsonb)
    from ended where version is not null`);
}
