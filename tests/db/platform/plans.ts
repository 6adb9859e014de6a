import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Db } from "../../../lib/platform/db/client.ts";

/** A plan node in `explain (verbose, format json)`. */
export type PlanNode = {
  "Node Type": string;
  "Parent Relationship"?: string;
  "Relation Name"?: string;
  "Plan Rows": number;
  Plans?: PlanNode[];
  [more: string]: unknown;
};

/** Tables that stay small on large platforms, or from which one row is read. */
const small = ["content_types", "countries", "scheduled_tasks", "universities", "departments"];

export function notingStatements(db: Db, statements: SQL[]): Db {
  const noting = Object.create(db) as Db;
  noting.execute = ((statement: SQL) => {
    statements.push(statement);
    return db.execute(statement);
  }) as Db["execute"];
  return noting;
}

/**
 * PostgreSQL's plans for a statement with `times` as many rows: custom and generic, as for named statements.
 * Rolled back.
 */
export async function plansOf(db: Db, statement: SQL, times: number, workMem: string): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  const undo = new Error("undone");
  const explained = db.transaction(async (tx) => {
    await tx.execute(sql`set local work_mem = ${sql.raw(`'${workMem}'`)}`);
    await tx.execute(sql`
      update pg_class set reltuples = reltuples * ${times}::int
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and reltuples > 0
        and relname not in (${sql.join(
          small.map((name) => sql`${name}`),
          sql`, `,
        )})`);
    const anyValues = sql.raw(new PgDialect().sqlToQuery(statement).sql);
    for (const explain of [
      sql`explain (verbose, format json) ${statement}`,
      sql`explain (generic_plan, verbose, format json) ${anyValues}`,
    ]) {
      const { rows } = await tx.execute<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(explain);
      plans.push(...rows.map((row) => row["QUERY PLAN"][0].Plan));
    }
    throw undo;
  });
  await explained.catch((error) => {
    if (error !== undo) throw error;
  });
  return plans;
}

/** Full reads of a table or subresult repeated per row of another, which multiplies the costs. */
export function productsIn(plan: PlanNode): string[] {
  const found: string[] = [];
  for (const node of nodesOf(plan)) {
    const [outer, inner] = ["Outer", "Inner"].map((side) =>
      node.Plans?.find((below) => below["Parent Relationship"] === side),
    );
    const searched = Object.values(node).filter((value) => /\bANY \(.*= \(SubPlan/.test(String(value)));
    found.push(...searched.map((condition) => `a list for each row: ${condition}`));
    if (node["Parent Relationship"] === "SubPlan")
      found.push(...wholeReads(node).map((read) => `${read} in a subplan`));
    if (node["Node Type"] === "Nested Loop" && outer && inner && outer["Plan Rows"] > 1)
      found.push(
        ...wholeReads(inner).map((read) => `${read} for each of ${nameOf(outer)} (${outer["Plan Rows"]})`),
      );
  }
  return found;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

const nameOf = (node: PlanNode): string => {
  const { "Relation Name": table, "CTE Name": cte, Plans: [first] = [] } = node;
  return `${table ?? cte ?? `${node["Node Type"]} ${first ? nameOf(first) : ""}`}`;
};

/** Nodes that collect their rows once, regardless of rescans. */
const gathering = ["Aggregate", "Sort", "Unique", "WindowAgg", "Limit", "SetOp", "Recursive Union"];

/** The full reads of this node at each rescan, without subplans that run once. */
function wholeReads(node: PlanNode): string[] {
  const type = node["Node Type"];
  if (type === "Seq Scan" && !small.includes(node["Relation Name"] ?? ""))
    return [`${node["Relation Name"]}`];
  if (type === "CTE Scan") return [`${node["CTE Name"]}`];
  if (gathering.includes(type)) return [];
  return (node.Plans ?? [])
    .filter((below) => !["InitPlan", "SubPlan"].includes(below["Parent Relationship"] ?? ""))
    .flatMap(wholeReads);
}
