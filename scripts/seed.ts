import { hashPassword } from "../lib/identity/auth/password-hashes.ts";
import type { Db } from "../lib/platform/db/client.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { universities } from "../schema/db/identity/universities.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { refuseProduction } from "./dev/data-dir.ts";
import { demoPassword } from "./dev/seed/accounts.ts";
import { insertDemonstration } from "./dev/seed/insert.ts";
import { runScript } from "./ops/run-script.ts";

export type SeedOptions = { now: Date; bcryptCost: number };

/**
 * Seeds a database without universities with a small demonstration: two universities with people, courses,
 * offerings, modules and content. Atomic; returns whether it did.
 */
export async function seed(db: Db, { now, bcryptCost }: SeedOptions): Promise<boolean> {
  if (!(await isEmpty(db))) return false;
  const passwordHash = await hashPassword(demoPassword, bcryptCost);
  await db.transaction((tx) => insertDemonstration(tx, passwordHash, now));
  return true;
}

export async function isEmpty(db: Db): Promise<boolean> {
  const [existing] = await db.select({ id: universities.id }).from(universities).limit(1);
  return !existing;
}

if (import.meta.main) {
  commandLine({
    usage: "npm run seed\n\nFills a database that has no university with a small demonstration.",
  });
  await runScript(async (url) => {
    refuseProduction(readEnvironment());
    const database = await connectDatabase({ url });
    const seeded = await seed(database.db, { now: new Date(), bcryptCost: 12 });
    await database.close();
    return seeded ? "The demonstration was added" : "Nothing to do: the database already has universities";
  });
}
