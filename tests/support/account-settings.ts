import { administer } from "./database.ts";

/**
 * Sets what migrating sets for the account in a database, which a clone has not: for connections that begin later. It goes
 * with the database.
 */
export const setForAccount = (url: string, setting: string, value: string): Promise<void> =>
  administer(
    `alter role current_user in database ${new URL(url).pathname.slice(1)} set ${setting} = '${value}'`,
  );
