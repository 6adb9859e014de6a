import { inArray } from "drizzle-orm";
import type { Config } from "../lib/config.ts";
import type { Db } from "../lib/platform/db/client.ts";
import { sessionDatabaseUrl } from "../lib/platform/db/driver/address.ts";
import { migrationBlocker } from "../lib/platform/db/migrations/inspect.ts";
import { missingMigrationCount } from "../lib/platform/db/migrations/readiness.ts";
import { isDatabaseUnavailable, sqlStateOf } from "../lib/platform/db/unavailable.ts";
import { users } from "../schema/db/identity/users.ts";
import { demonstrationEmails } from "./demonstration-emails.ts";

/** Why the server must not start on this database, as a message for operators. Undefined if it may. */
export async function findObstacle(db: Db, config: Config): Promise<string | undefined> {
  try {
    const missing = await missingMigrationCount(db);
    const unfit = missing > 0 && (await migrationBlocker(sessionDatabaseUrl(config)));
    if (unfit) return unfit;
    if (missing > 0)
      return `The database lacks ${missing} of this version's migrations. Run "npm run migrate" first`;
    if (config.ENVIRONMENT === "production" && (await hasDemonstration(db)))
      return "The database has the demonstration's accounts, whose password is public. Use an empty database, or set ENVIRONMENT to development or staging";
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return "The database at DATABASE_URL does not answer";
    const { cause } = error as Error;
    if (!sqlStateOf(cause)) throw error;
    return `The database at DATABASE_URL rejects the connection: ${(cause as Error).message}`;
  }
}

async function hasDemonstration(db: Db): Promise<boolean> {
  const isOneOfThem = inArray(users.email, [...demonstrationEmails]);
  const found = await db.select({ id: users.id }).from(users).where(isOneOfThem).limit(1);
  return found.length > 0;
}
