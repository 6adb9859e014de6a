import { sql } from "drizzle-orm";
import * as z from "zod";
import type { PromptPreview, PromptPreviewRequest } from "../../schema/api/prompts.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { reachedParts } from "./graph.ts";
import { GraphLink, PromptGraph } from "./inline.ts";
import { type Reference, referencesOf } from "./references.ts";
import { render, variablesIn } from "./render.ts";
import { resolvedText } from "./resolve.ts";

/** The text that is previewed stands for a prompt that is not stored. */
const draft = { id: 0, name: "(preview)", version: 0 };

/**
 * What a text would say: references inlined, then placeholders replaced by the given values, those without one left
 * standing. 400 for a reference that cannot be followed, with the chain.
 */
export async function previewPrompt(
  db: Db,
  { prompt_text, variables }: PromptPreviewRequest,
): Promise<PromptPreview> {
  const references = referencesOf(prompt_text);
  const { prompts, links } = await fetchReferenced(db, references);
  const root = { ...draft, prompt: prompt_text };
  const template = resolvedText({ root: root.id, prompts: [root, ...prompts], links });
  return {
    rendered_prompt: render(template, valuesOf(variables), "leave"),
    variables_used: variablesIn(template),
    dependencies_found: references,
  };
}

type Referenced = Pick<PromptGraph, "prompts" | "links">;

const Reached = PromptGraph.omit({ root: true }).extend({ direct: z.array(GraphLink) });

async function fetchReferenced(db: Db, references: readonly Reference[]): Promise<Referenced> {
  if (references.length === 0) return { prompts: [], links: [] };
  const statement = sql`
    with direct as (
      select child_name, child_version, child_label, coalesce(numbered.id, labelled.prompt_id) as child_id
      from jsonb_to_recordset(${JSON.stringify(references)}::jsonb)
        as reference (child_name text, child_version int, child_label text)
      left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
      left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label
    ), root as (
      select child_id as id from direct where child_id is not null
    ), ${reachedParts(sql`root`, 1)}
    select prompts, links, (select json_agg(direct) from direct) as direct from reached_graph`;
  const [reached] = await rowsOf(db, Reached, statement);
  const { prompts = [], links = [], direct = [] } = reached ?? {};
  return { prompts, links: [...direct, ...links] };
}

function valuesOf(variables: Record<string, unknown>): Record<string, string> {
  const supplied = Object.entries(variables).filter(([, value]) => value !== null);
  return Object.fromEntries(
    supplied.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
