import type { CoverageProbe, MutantDraft } from "./mutant.ts";
import {
  blankCommentsAndStrings,
  findSqlRoutines,
  proposeSqlConditionChanges,
  type SqlConditionChange,
} from "./sql-text.ts";
import {
  callArgumentNodes,
  calledFunctionName,
  isFunctionNode,
  isSyntaxNode,
  type SyntaxNode,
  walkSyntaxTree,
} from "./syntax.ts";

const isOfTenants = (condition: string): boolean => /universit/i.test(condition);

/** Faults of conditions in database functions and views. */
export function draftSqlRoutineMutants(text: string): MutantDraft[] {
  return findSqlRoutines(text).flatMap(({ name, start, end }) =>
    proposeSqlConditionChanges(blankCommentsAndStrings(text.slice(start, end))).map((change) => ({
      ...draftOf(text, start, change),
      routine: name,
    })),
  );
}

/** Faults of conditions in TypeScript's SQL statements. */
export function draftSqlStatementMutants(source: string): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    const tag = node["tag"];
    if (node.type !== "TaggedTemplateExpression" || !isSyntaxNode(tag) || tag["name"] !== "sql") return;
    if (!parents.some(isFunctionNode)) return;
    const { start, end } = node["quasi"] as SyntaxNode;
    const { expressions } = node["quasi"] as { expressions: SyntaxNode[] } & SyntaxNode;
    const probe: CoverageProbe = { start: node.start, end: node.end, kind: "evaluated" };
    for (const change of proposeSqlConditionChanges(maskOf(source, start + 1, end - 1, expressions)))
      drafts.push({ ...draftOf(source, start + 1, change), probe });
  });
  return drafts;
}

/** A template's text with a placeholder per value, of the same length. */
function maskOf(source: string, start: number, end: number, expressions: readonly SyntaxNode[]): string {
  let masked = source.slice(start, end);
  for (const one of expressions) {
    const [from, to] = [one.start - 2 - start, masked.indexOf("}", one.end - start) + 1];
    masked = masked.slice(0, from) + "v".repeat(to - from) + masked.slice(to);
  }
  return blankCommentsAndStrings(masked);
}

/** Maps a change of a masked text, at `offset`, back to the original text. */
function draftOf(text: string, offset: number, change: SqlConditionChange): MutantDraft {
  const [start, end] = [offset + change.start, offset + change.end];
  const condition = text.slice(offset + change.from, offset + change.to);
  const isInverted = change.text.startsWith("not (");
  return {
    category: isOfTenants(condition) ? "tenancy" : "sql",
    operator: change.operator,
    edit: { start, end, text: isInverted ? `not (${condition})` : change.text },
  };
}

/** Faults of tenant isolation in TypeScript: removed university comparisons and policy checks. */
export function draftTenantIsolationMutants(source: string): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    if (!parents.some(isFunctionNode)) return;
    const { start, end } = node;
    const add = (operator: string, text: string) =>
      drafts.push({
        category: "tenancy",
        operator,
        edit: { start, end, text },
        probe: { start, end, kind: "evaluated" },
      });
    const name = calledFunctionName(node);
    if (name === "permissionCondition") add("policy not asked", "sql`true`");
    if (name === "eq" && callArgumentNodes(node).some((one) => isOfTenants(source.slice(one.start, one.end))))
      add("university not compared", "undefined");
    const { left, right, operator } = node as Record<string, unknown>;
    const sides = isSyntaxNode(left) && isSyntaxNode(right) ? [left, right] : [];
    if (node.type === "BinaryExpression" && (operator === "===" || operator === "!=="))
      if (sides.some((side) => /universit\w*_?id$/i.test(source.slice(side.start, side.end))))
        add("university not compared", operator === "===" ? "true" : "false");
  });
  return drafts;
}
