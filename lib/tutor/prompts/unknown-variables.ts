import { sql } from "drizzle-orm";
import * as z from "zod";
import type { PromptCreate } from "../../../schema/api/tutor/prompts.ts";
import { HttpError, refusalError } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { BrokenReference, inlineReferences } from "./inline.ts";
import { fetchReferenced } from "./preview.ts";
import { type CountedReference, countReferences } from "./references.ts";
import { findVariableNames } from "./render.ts";
import { knownVariables } from "./variables.ts";

type NewVersion = Pick<PromptCreate, "name" | "prompt" | "labels">;

/**
 * 400 for a tutor's prompt with unknown variables, which would be empty. Prompts that it references count,
 * and those that its labeled versions reference.
 */
export async function ensureKnownVariables(db: Db, version: NewVersion, tutorPrompt: string): Promise<void> {
  const text = await wholeText(db, version.prompt, countReferences(version.prompt));
  const names = findVariableNames(text).filter((name) => !knownVariables.includes(name));
  if (names.length === 0 || !(await isForTutor(db, version, tutorPrompt))) return;
  throw refusalError(400, "unknown_variables", [
    { field: "prompt", names: names.join(", "), known: knownVariables.join(", ") },
  ]);
}

/** With references inlined if they can be; saving refuses broken ones. */
async function wholeText(db: Db, prompt: string, references: readonly CountedReference[]): Promise<string> {
  if (references.length === 0) return prompt;
  const root = { id: 0, name: "", version: 0, prompt };
  try {
    const { prompts, links } = await fetchReferenced(db, references);
    return inlineReferences({ root: root.id, prompts: [root, ...prompts], links });
  } catch (error) {
    if (error instanceof BrokenReference || error instanceof HttpError) return prompt;
    throw error;
  }
}

async function isForTutor(db: Db, { name, labels }: NewVersion, tutorPrompt: string): Promise<boolean> {
  const [row] = await rowsOf(
    db,
    z.object({ is_for_tutor: z.boolean() }),
    sql`
      with tutor (name) as (
        select ${tutorPrompt}::text union all select ${tutorPrompt} || '-' || content_types.name from content_types
      )
      select exists (select from tutor where name = ${name}) or exists (
        select from prompts_depending_on(${name}, ${sql.param([...labels, "latest"])}::text[]) as above (id)
        join prompts on prompts.id = above.id join tutor on tutor.name = prompts.name
        where exists (select from prompt_labels where prompt_id = prompts.id)) as is_for_tutor`,
  );
  return row?.is_for_tutor ?? false;
}
