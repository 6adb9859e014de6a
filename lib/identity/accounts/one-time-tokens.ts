import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";

/** 256 random bits. Only the hash is stored. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Random tokens need no salt and no slow hash. */
export const hashOfToken = (token: string): string => fingerprint(token);

const oneTimeTokensDeletedPerStep = 5000;

export function pruneTokens({ db, now }: { db: Db; now: () => Date }, signal: AbortSignal): Promise<number> {
  const moment = now().toISOString();
  return changeInSteps(
    db,
    { rows: oneTimeTokensDeletedPerStep, signal },
    (rows) => sql`
      delete from one_time_tokens where id = any (array(
        select id from one_time_tokens where expires_at < ${moment}
        order by expires_at limit ${rows} for update skip locked))
      returning id`,
  );
}
