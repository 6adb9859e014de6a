import { and, eq, getViewSelectedFields, type SQL, sql } from "drizzle-orm";
import type { Prompt } from "../../../schema/api/tutor/prompts.ts";
import { promptVersions } from "../../../schema/db/tutor/prompts.ts";
import { notFound } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { type ExpectedVersions, expectedVersionsSql } from "../../platform/db/query/versions.ts";

/* The current state of a prompt, for optimistic locking by name. */

/** SQL that yields no name on a version conflict: see `translateRefusal`. */
export const lockPromptNameAtVersionSql = (name: string, expected: ExpectedVersions): SQL =>
  expected ? sql`lock_prompt_name_at_version(${name}, ${expectedVersionsSql(expected)})` : sql`${name}`;

/** With its current labels; 404 if there is none. */
export async function readPromptVersion(db: Db, name: string, version: number): Promise<Prompt> {
  const [prompt] = await db
    .select(getViewSelectedFields(promptVersions))
    .from(promptVersions)
    .where(and(eq(promptVersions.name, name), eq(promptVersions.version, version)));
  if (!prompt) throw notFound("Prompt version");
  return prompt;
}
