import { type SQL, sql } from "drizzle-orm";
import { deepestNesting, type PromptGraph } from "./inline.ts";

/** The type of the column that `graphParts` gives. */
export type { PromptGraph } from "./inline.ts";

/**
 * Parts of a `with recursive` statement that fetch a prompt and everything its references reach, whatever the
 * depth, in the statement's one round trip. `root` names an earlier part with the columns id, name, version and
 * prompt, of at most one row. The last part, `prompt_graph`, has the column `graph`: a `PromptGraph` as JSON, or
 * no row when `root` has none. One level more than allowed is fetched, so that "too deep" is told from "missing".
 */
export const graphParts = (root: SQL): SQL => sql`
  reached (id, name, version, prompt, depth) as (
    select id, name, version, prompt, 0 from ${root}
    union
    select child.id, child.name, child.version, child.prompt, reached.depth + 1
    from reached
    join prompt_dependencies as link on link.prompt_id = reached.id
    left join prompt_labels as labelled on labelled.name = link.child_name and labelled.label = link.child_label
    join prompts as child
      on child.name = link.child_name and (child.version = link.child_version or child.id = labelled.prompt_id)
    where reached.depth <= ${deepestNesting}
  ), links as (
    select distinct link.child_name, link.child_version, link.child_label, child.id as child_id
    from reached
    join prompt_dependencies as link on link.prompt_id = reached.id
    left join prompt_labels as labelled on labelled.name = link.child_name and labelled.label = link.child_label
    left join prompts as child
      on child.name = link.child_name and (child.version = link.child_version or child.id = labelled.prompt_id)
  ), prompt_graph as (
    select json_build_object(
      'root', id,
      'prompts', (select json_agg(node) from (select distinct id, name, version, prompt from reached) as node),
      'links', coalesce((select json_agg(links) from links), '[]')
    ) as graph
    from ${root}
  )`;

/** The root of a graph that has one. */
export const rootOf = (graph: PromptGraph) => graph.prompts.find((prompt) => prompt.id === graph.root);
