import { sql } from "drizzle-orm";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Caller } from "../auth/guards.ts";

export async function revokeOwnTokensAndSecretLinks(db: Db, caller: Caller): Promise<void> {
  await db.execute(sql`
    with ended as materialized (select revoke_tokens_and_secret_links(${caller.id}) as version)
    select audit('tokens.ended', ${caller.id}, ${caller.id}, null, '{}', ${requestAuditJson()}::jsonb)
    from ended where version is not null`);
}
