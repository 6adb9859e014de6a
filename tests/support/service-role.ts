import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { administer, type TestDatabase } from "./database.ts";

const grants = readFileSync(new URL("../../schema/grants.sql", import.meta.url), "utf8");

/** The grants that an operator runs for an account, as `psql` reads them. */
export const grantsFor = (role: string): string => grants.replaceAll(':"role"', `"${role}"`);

/**
 * The same database under a service account with the grants of docs/operations.md. `run` remains the owner's.
 */
export async function servedAsService(
  database: TestDatabase,
): Promise<TestDatabase & { role: string; ownerUrl: string }> {
  const role = `${new URL(database.url).pathname.slice(1)}_service`;
  const password = randomUUID();
  await database.run(`create role ${role} login password '${password}'`);
  await database.run(grantsFor(role));
  return {
    role,
    ownerUrl: database.url,
    url: Object.assign(new URL(database.url), { username: role, password }).href,
    run: database.run,
    async drop() {
      await database.drop();
      await administer(`drop role ${role}`);
    },
  };
}
