import { and, eq, getViewSelectedFields, type SQL, sql } from "drizzle-orm";
import type { Prompt } from "../../schema/api/prompts.ts";
import { promptVersions } from "../../schema/db/prompts.ts";
import type { Db } from "../db/client.ts";
import { type ExpectedVersions, expectedVersions } from "../db/query/versions.ts";
import { notFound } from "../errors.ts";

/*
 * What a prompt is at the moment: writers may expect a version of its name, and are told what it has become.
 */

/** The name, which the statement leaves alone where it has another version than expected: see `translateRefusal`. */
export const nameAt = (name: string, expected: ExpectedVersions): SQL =>
  expected ? sql`prompt_name_at(${name}, ${expectedVersions(expected)})` : sql`${name}`;

/** A version with its labels as they stand now; 404 when there is none. */
export async function presentVersion(db: Db, name: string, version: number): Promise<Prompt> {
  const [prompt] = await db
    .select(getViewSelectedFields(promptVersions))
    .from(promptVersions)
    .where(and(eq(promptVersions.name, name), eq(promptVersions.version, version)));
  if (!prompt) throw notFound("Prompt version");
  return prompt;
}
