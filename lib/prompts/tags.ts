import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";

const TagChange = z.object({ known: z.boolean() });

/** Sets the tags of all versions of a prompt; 404 when there is none of that name. */
export async function setTags(db: Db, name: string, tags: readonly string[]): Promise<{ success: true }> {
  const distinct = sql.param([...new Set(tags)]);
  const statement = sql`select set_prompt_tags(${name}, ${distinct}::text[]) as known`;
  const [change] = await rowsOf(db, TagChange, statement);
  if (!change?.known) throw notFound("Prompt");
  return { success: true };
}
