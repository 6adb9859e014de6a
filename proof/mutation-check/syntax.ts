import { parseSync } from "vite";

/** A syntax tree node of a TypeScript file. */
export type SyntaxNode = { type: string; start: number; end: number; [field: string]: unknown };

export type SyntaxVisitor = (node: SyntaxNode, parents: readonly SyntaxNode[]) => void;

export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** Cache of the last parsed text: several operators read one file in turn. */
let parsed: { source: string; program: SyntaxNode } | undefined;

function programOf(source: string): SyntaxNode {
  if (parsed?.source === source) return parsed.program;
  const { program, errors } = parseSync("source.ts", source);
  if (errors.length > 0) throw new Error(errors[0]?.message);
  parsed = { source, program: program as unknown as SyntaxNode };
  return parsed.program;
}

/** Throws if the text of a TypeScript file cannot be parsed. */
export function ensureParses(source: string): void {
  const [error] = parseSync("source.ts", source).errors;
  if (error) throw new Error(error.message);
}

/** Calls `visit` with each node and its ancestors, innermost last. */
export function walkSyntaxTree(source: string, visit: SyntaxVisitor): void {
  const parents: SyntaxNode[] = [];
  const enter = (node: SyntaxNode): void => {
    visit(node, parents);
    parents.push(node);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isSyntaxNode(child)) enter(child);
    parents.pop();
  };
  enter(programOf(source));
}

export const isFunctionNode = ({ type }: SyntaxNode): boolean =>
  /^(Arrow)?Function(Expression|Declaration)?/.test(type);

/** `name` of `name(…)` and `a.name(…)`. */
export function calledFunctionName(node: SyntaxNode): string | undefined {
  const callee = node["callee"];
  if (node.type !== "CallExpression" || !isSyntaxNode(callee)) return undefined;
  const name = callee.type === "MemberExpression" ? callee["property"] : callee;
  return isSyntaxNode(name) && name.type === "Identifier" ? String(name["name"]) : undefined;
}

export const callArgumentNodes = (node: SyntaxNode): SyntaxNode[] =>
  (node["arguments"] as SyntaxNode[] | undefined) ?? [];
