import type { MutantCategory, MutantDraft } from "./mutant.ts";
import {
  calledFunctionName,
  isFunctionNode,
  isSyntaxNode,
  type SyntaxNode,
  walkSyntaxTree,
} from "./syntax.ts";

const opposites: Record<string, [string, string]> = {
  "===": ["equality inverted", "!=="],
  "!==": ["equality inverted", "==="],
  "<": ["bound moved", "<="],
  "<=": ["bound moved", "<"],
  ">": ["bound moved", ">="],
  ">=": ["bound moved", ">"],
};

/** Faults of conditions inside functions, for files of guards or rules. */
export function draftConditionMutants(source: string, category: MutantCategory): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    if (!parents.some(isFunctionNode)) return;
    const textOf = (part: unknown) => (isSyntaxNode(part) ? source.slice(part.start, part.end) : "");
    const add = (
      operator: string,
      text: string,
      { start, end }: SyntaxNode = node,
      probed: SyntaxNode = node,
    ) =>
      drafts.push({
        category,
        operator,
        edit: { start, end, text },
        probe: { start: probed.start, end: probed.end, kind: "evaluated" },
      });
    const { left, right, operator, argument } = node as Record<string, unknown>;
    if (node.type === "LogicalExpression" && operator !== "??") {
      add("operand dropped", textOf(left));
      add("operand dropped", textOf(right));
    }
    if (node.type === "UnaryExpression" && operator === "!") add("not dropped", textOf(argument));
    const opposite = node.type === "BinaryExpression" ? opposites[String(operator)] : undefined;
    if (opposite && isSyntaxNode(left) && isSyntaxNode(right))
      add(opposite[0], `${textOf(left)} ${opposite[1]} ${textOf(right)}`);
    if (node.type === "ConditionalExpression") {
      const test = node["test"] as SyntaxNode;
      add("branch inverted", `!(${textOf(test)})`, test, test);
    }
  });
  return drafts;
}

/** Faults of rejections: removed throws and `ensure` calls. */
export function draftRejectionMutants(source: string, category: MutantCategory): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    if (!parents.some(isFunctionNode)) return;
    const add = ({ start, end }: SyntaxNode, operator: string, text: string, probed: SyntaxNode) =>
      drafts.push({
        category,
        operator,
        edit: { start, end, text },
        probe: { start: probed.start, end: probed.end, kind: "evaluated" },
      });
    if (node.type === "IfStatement" && throws(node["consequent"]) && isSyntaxNode(node["test"]))
      add(node["test"], "refusal dropped", "false", node["test"]);
    if (node.type !== "ExpressionStatement" || !isSyntaxNode(node["expression"])) return;
    const expression = node["expression"];
    const call = expression.type === "AwaitExpression" ? (expression["argument"] as SyntaxNode) : expression;
    if (/^ensure/.test(calledFunctionName(call) ?? ""))
      add(expression, "check dropped", "undefined", expression);
  });
  return drafts;
}

function throws(statement: unknown): boolean {
  if (!isSyntaxNode(statement)) return false;
  if (statement.type === "ThrowStatement") return true;
  const body = statement["body"];
  return statement.type === "BlockStatement" && Array.isArray(body) && throws(body.at(-1));
}
