import { sql } from "drizzle-orm";
import * as z from "zod";
import { notFound } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ExpectedVersions } from "../../platform/db/query/versions.ts";
import { lockPromptNameAtVersionSql } from "./current-version.ts";
import { promptSummary } from "./lookup.ts";
import { translatePromptRefusal } from "./refusals.ts";

const TagChange = z.object({ known: z.boolean() });

/** 404 without such a name, 412 on a version conflict. */
export async function setTags(
  db: Db,
  name: string,
  tags: readonly string[],
  expected: ExpectedVersions,
): Promise<{ success: true }> {
  const distinct = sql.param([...new Set(tags)]);
  const statement = sql`select set_prompt_tags(${lockPromptNameAtVersionSql(name, expected)}, ${distinct}::text[]) as known`;
  const [change] = await translatePromptRefusal(rowsOf(db, TagChange, statement), () =>
    promptSummary(db, name),
  );
  if (!change?.known) throw notFound("Prompt");
  return { success: true };
}
