import { roles } from "../../schema/enums.ts";
import type { MutantDraft } from "./mutant.ts";
import {
  callArgumentNodes,
  calledFunctionName,
  isSyntaxNode,
  type SyntaxNode,
  walkSyntaxTree,
} from "./syntax.ts";

/** Wider or narrower scopes of a role. */
const elsewhere: Record<string, readonly string[]> = {
  anywhere: ["forItsUniversity"],
  inItsUniversity: ["forItsUniversity", "anywhere"],
  forItsUniversity: ["inItsUniversity", "forItsDepartment"],
  forItsDepartment: ["inItsUniversity", "forItsUniversity"],
};

/** Faults of the rows of lib/identity/rbac/policy.ts. */
export function draftPolicyRuleMutants(source: string): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    const row = parents.findLast(({ type }) => type === "Property");
    const rule = row?.["value"];
    const add = ({ start, end }: SyntaxNode, operator: string, text: string) => {
      if (isSyntaxNode(rule))
        drafts.push({
          category: "policy",
          operator,
          edit: { start, end, text },
          probe: { start: rule.start, end: rule.end, kind: "read" },
        });
    };
    const name = calledFunctionName(node) ?? "";
    const callee = node["callee"] as SyntaxNode;
    const [argument] = callArgumentNodes(node);
    if (!row || !argument) return;
    if (/^in\w+OfOthers$/.test(name))
      add(node, "staff who learn there allowed", source.slice(argument.start, argument.end));
    const places = elsewhere[name];
    if (!places) return;
    for (const place of places) add(callee, "place moved", place);
    const rank = roles.indexOf(argument["value"] as (typeof roles)[number]);
    const [lower, higher] = [roles[rank - 1], roles[rank + 1]];
    if (lower) add(argument, "role lowered", JSON.stringify(lower));
    if (higher) add(argument, "role raised", JSON.stringify(higher));
  });
  return drafts;
}
