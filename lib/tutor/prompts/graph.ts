import { type SQL, sql } from "drizzle-orm";
import { maxPromptReferenceDepth, type PromptGraph } from "./inline.ts";

/** The type of the column `graph` of `promptGraphCtes`. */
export { PromptGraph } from "./inline.ts";

/**
 * The CTE `reached_graph`: one row with the prompts and links of a `PromptGraph`, for everything that
 * references reach. `roots` names an earlier CTE with the column id; `depth` is their own depth.
 */
export const reachedGraphCte = (roots: SQL, depth = 0): SQL => sql`
  reached_graph as (
    select prompts, links from referenced_prompts_with_links(array(select id from ${roots}), ${depth}, ${maxPromptReferenceDepth})
  )`;

/**
 * `root` names a CTE of at most one row. The last CTE `prompt_graph` has the column `graph`, a `PromptGraph`
 * as JSON, or no row if `root` has none.
 */
export const promptGraphCtes = (root: SQL): SQL => sql`
  ${reachedGraphCte(root)}, prompt_graph as (
    select json_build_object('root', root.id, 'prompts', prompts, 'links', links) as graph
    from ${root} as root cross join reached_graph
  )`;

export const rootPrompt = (graph: PromptGraph) => graph.prompts.find((prompt) => prompt.id === graph.root);
