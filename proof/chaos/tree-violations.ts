import { readFileSync } from "node:fs";

const rules = readFileSync(new URL("tree-violations.sql", import.meta.url), "utf8");

/**
 * A query of violated invariants of the tree of shared answers: `rule`, `node_id` and `session_id`, which may
 * be null.
 */
export const treeViolationsQuery = `select * from (\n${rules}) as violation (rule, node_id, session_id)`;
