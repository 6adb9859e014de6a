import { DrizzleQueryError } from "drizzle-orm";
import { openDatabase } from "./database.ts";

/**
 * Runs a script's work with the database's addresses, the second one past a pooler. Prints the result, or the
 * error with exit code 1.
 */
export async function runScript(
  work: (databaseUrl: string, directUrl: string) => Promise<string>,
): Promise<void> {
  try {
    await using database = await openDatabase();
    console.log(await work(database.url, database.direct));
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string };
  if (code === "42P01") return 'The database has no tables yet. Run "npm run migrate" first';
  if (code === "42501")
    return `${message}. Run this as the owner of the database: set DIRECT_DATABASE_URL to the owner's address`;
  if (code === "ECONNREFUSED" || code === "ENOTFOUND") return "The database at DATABASE_URL does not answer";
  // Its own message is the statement.
  return error instanceof DrizzleQueryError ? `${error.message}\n${message}` : error.message;
}
