import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { notFound } from "../errors.ts";

/** Sets the tags of all versions of a prompt; 404 when there is none of that name. */
export async function setTags(db: Db, name: string, tags: readonly string[]): Promise<{ success: true }> {
  const distinct = sql.param([...new Set(tags)]);
  const { rows } = await db.execute<{ known: boolean }>(
    sql`select set_prompt_tags(${name}, ${distinct}::text[]) as known`,
  );
  if (!rows[0]?.known) throw notFound("Prompt");
  return { success: true };
}
