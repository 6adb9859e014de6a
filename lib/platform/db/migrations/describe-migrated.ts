import type { MigrationResult } from "./migrate.ts";

export function describeMigrated({ migrations, functions, unlisted }: MigrationResult): string {
  const done =
    migrations + functions === 0
      ? "Nothing to do: the database is up to date"
      : `The database is up to date: ${migrations} migrations, ${functions} functions, views and triggers applied`;
  if (unlisted.length === 0) return done;
  return `${done}. It still has objects that schema/functions no longer has: ${unlisted.join(", ")}. List them in schema/functions/retired.ts`;
}
