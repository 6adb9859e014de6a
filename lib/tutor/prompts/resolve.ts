import { and, eq, getViewSelectedFields, type SQL, sql } from "drizzle-orm";
import type { PromptSelector, ResolvedPrompt } from "../../../schema/api/tutor/prompts.ts";
import { promptVersions } from "../../../schema/db/tutor/prompts.ts";
import { badRequest, notFound } from "../../errors.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { PromptGraph, promptGraphCtes } from "./graph.ts";
import { BrokenReferenceError, inlineReferences, resolutionGraph } from "./inline.ts";
import { distinctReferences } from "./references.ts";

const graph = typedSql(PromptGraph)`(
  with root as (select prompt_versions.id), ${promptGraphCtes(sql`root`)}
  select graph from prompt_graph)`;

/**
 * With references inlined, in one round trip. 400 for both version and label, or a broken reference with its
 * chain; 404 with the selector.
 */
export async function getPrompt(
  db: ReadDb,
  name: string,
  { version, label }: PromptSelector,
): Promise<ResolvedPrompt> {
  if (version && label) throw badRequest("version_or_label");
  const described = version ? `version ${version}` : `label '${label ?? "production"}'`;
  const [row] = version
    ? await byVersion(db).execute({ name, version })
    : await byLabel(db).execute({ name, label: label ?? "production" });
  if (!row) throw notFound("Prompt", `Prompt '${name}' with ${described}`);
  return {
    ...row.prompt,
    dependencies: distinctReferences(row.prompt.prompt),
    resolved_prompt: resolvedText(row.graph),
    resolution_graph: resolutionGraph(row.graph),
  };
}

const promptWhere = (condition: SQL) =>
  memoize((db: ReadDb) =>
    db
      .select({ prompt: getViewSelectedFields(promptVersions), graph })
      .from(promptVersions)
      .where(and(eq(promptVersions.name, sql.placeholder("name")), condition))
      .prepare(""),
  );

const byVersion = promptWhere(eq(promptVersions.version, sql.placeholder("version")));

const byLabel = promptWhere(sql`${promptVersions.id} = (
  select prompt_id from prompt_labels
  where prompt_labels.name = prompt_versions.name and label = ${sql.placeholder("label")})`);

/** 400 if a reference is broken. */
export function resolvedText(graph: PromptGraph): string {
  try {
    return inlineReferences(graph);
  } catch (error) {
    throw error instanceof BrokenReferenceError
      ? badRequest("prompt_reference_broken", { fault: error.message })
      : error;
  }
}
