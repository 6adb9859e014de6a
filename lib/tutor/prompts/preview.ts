import { sql } from "drizzle-orm";
import * as z from "zod";
import type { PromptPreview, PromptPreviewRequest } from "../../../schema/api/tutor/prompts.ts";
import { badRequest } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { reachedGraphCte } from "./graph.ts";
import {
  GraphLink,
  maxPromptReferenceDepth,
  maxResolvedPromptCharacters,
  PromptGraph,
  promptTooLongError,
} from "./inline.ts";
import { type CountedReference, countReferences, distinctReferences } from "./references.ts";
import { findVariableNames, renderedLength, renderPrompt } from "./render.ts";
import { resolvedText } from "./resolve.ts";

/** The previewed text, which is not stored. */
const draft = { id: 0, name: "(preview)", version: 0 };

/**
 * Inlines references, then replaces given placeholders and keeps the others. 400 for a broken reference with
 * its chain, or too long a result.
 */
export async function previewPrompt(
  db: Db,
  { prompt_text, variables }: PromptPreviewRequest,
): Promise<PromptPreview> {
  const { prompts, links } = await fetchReferenced(db, countReferences(prompt_text));
  const root = { ...draft, prompt: prompt_text };
  const template = resolvedText({ root: root.id, prompts: [root, ...prompts], links });
  const values = valuesOf(variables);
  if (renderedLength(template, values) > maxResolvedPromptCharacters)
    throw badRequest("prompt_too_long", { characters: maxResolvedPromptCharacters });
  return {
    rendered_prompt: renderPrompt(template, values, "leave"),
    variables_used: findVariableNames(template),
    dependencies_found: distinctReferences(prompt_text),
  };
}

type Referenced = Pick<PromptGraph, "prompts" | "links">;

const Reached = PromptGraph.omit({ root: true }).extend({
  direct: z.array(GraphLink),
  characters: z.number(),
});

/** Checks the length first, so an oversized result is not loaded. */
async function fetchReferenced(db: Db, references: readonly CountedReference[]): Promise<Referenced> {
  if (references.length === 0) return { prompts: [], links: [] };
  const statement = sql`
    with direct as (
      select child_name, child_version, child_label, coalesce(numbered.id, labelled.prompt_id) as child_id,
             occurrences
      from jsonb_to_recordset(${JSON.stringify(references)}::jsonb)
        as reference (child_name text, child_version int, child_label text, occurrences int)
      left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
      left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label
    ), inlined as (
      select coalesce(sum(occurrences * one.characters), 0)::float8 as characters
      from resolved_prompt_lengths(array(select child_id from direct), ${maxPromptReferenceDepth - 1}) as one
      join direct on direct.child_id = one.prompt
    ), root as (
      select child_id as id from direct, inlined where child_id is not null and characters <= ${maxResolvedPromptCharacters}
    ), ${reachedGraphCte(sql`root`, 1)}
    select prompts, links, characters,
      (select json_agg(link) from (select child_name, child_version, child_label, child_id from direct) as link) as direct
    from reached_graph, inlined`;
  const [reached] = await rowsOf(db, Reached, statement);
  const { prompts = [], links = [], direct = [], characters = 0 } = reached ?? {};
  if (characters > maxResolvedPromptCharacters)
    throw badRequest("prompt_reference_broken", { fault: promptTooLongError(draft.name).message });
  return { prompts, links: [...direct, ...links] };
}

function valuesOf(variables: Record<string, unknown>): Record<string, string> {
  const supplied = Object.entries(variables).filter(([, value]) => value !== null);
  return Object.fromEntries(
    supplied.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
