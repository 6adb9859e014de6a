import { type SQL, sql } from "drizzle-orm";
import { deepestNesting, type PromptGraph } from "./inline.ts";

/** The type of the column that `graphParts` gives. */
export type { PromptGraph } from "./inline.ts";

/**
 * Parts of a `with recursive` statement that fetch what the references of prompts reach, whatever the depth, in the
 * statement's one round trip. `roots` names an earlier part with the column id; `depth` is how deep they stand
 * themselves. The last part, `reached_graph`, is one row with the columns prompts and links of a `PromptGraph`.
 * One level more than allowed is fetched, so that "too deep" is told from "missing".
 */
export const reachedParts = (roots: SQL, depth = 0): SQL => sql`
  reached (id, depth) as (
    select id, ${depth}::int from ${roots}
    union
    select child_id, depth + 1
    from reached join prompt_links on prompt_links.prompt_id = reached.id
    where child_id is not null and depth <= ${deepestNesting}
  ), reached_graph as (
    select
      coalesce((select json_agg(node) from (
        select id, name, version, prompt from prompts where id in (select id from reached)) as node
      ), '[]') as prompts,
      coalesce((select json_agg(link) from (
        select distinct child_name, child_version, child_label, child_id
        from prompt_links where prompt_id in (select id from reached)) as link
      ), '[]') as links
  )`;

/**
 * The same for one prompt: `root` names a part of at most one row, and the last part, `prompt_graph`, has the
 * column `graph`, a `PromptGraph` as JSON, or no row when `root` has none.
 */
export const graphParts = (root: SQL): SQL => sql`
  ${reachedParts(root)}, prompt_graph as (
    select json_build_object('root', root.id, 'prompts', prompts, 'links', links) as graph
    from ${root} as root cross join reached_graph
  )`;

/** The root of a graph that has one. */
export const rootOf = (graph: PromptGraph) => graph.prompts.find((prompt) => prompt.id === graph.root);
