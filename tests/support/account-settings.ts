import { administer } from "./database.ts";

/**
 * Sets a setting that migrating gives the account and that a clone lacks. It applies to later connections and
 * is dropped with the database.
 */
export const setForAccount = (url: string, setting: string, value: string): Promise<void> =>
  administer(
    `alter role current_user in database ${new URL(url).pathname.slice(1)} set ${setting} = '${value}'`,
  );
