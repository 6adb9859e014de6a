import type { MutantDraft } from "./mutant.ts";
import {
  callArgumentNodes,
  calledFunctionName,
  isSyntaxNode,
  type SyntaxNode,
  walkSyntaxTree,
} from "./syntax.ts";

const droppable =
  /^(min|max|length|gt|gte|lt|lte|positive|nonnegative|int|email|regex|refine|superRefine|check|strict|trim|startsWith|nonempty|overwrite)$/;

/** Arguments of the project's field types that are bounds, and the direction of the fault. */
const bounds: Record<string, readonly number[]> = {
  min: [1],
  max: [1],
  text: [1],
  title: [1],
  webAddress: [1],
  integer: [-1, 1],
  hundredths: [-1, 1],
  hundredthsText: [-1, 1],
};

/** Faults of schemas: missing checks, bounds off by one, added or removed values. */
export function draftSchemaMutants(source: string): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  walkSyntaxTree(source, (node, parents) => {
    const probed = outermost(node, parents);
    const add = (operator: string, { start, end }: { start: number; end: number }, text: string) =>
      drafts.push({
        category: "validation",
        operator,
        edit: { start, end, text },
        probe: { start: probed.start, end: probed.end, kind: "validates" },
      });
    const name = calledFunctionName(node);
    if (!name) return;
    const callee = node["callee"] as SyntaxNode;
    const object = callee["object"];
    const isOfZod = isSyntaxNode(object) && object["name"] === "z";
    if (isSyntaxNode(object) && !isOfZod && droppable.test(name) && isSchema(source, object))
      add(`${name} dropped`, node, source.slice(object.start, object.end));
    if (isSyntaxNode(object) && !isOfZod && /^(optional|nullable|nullish)$/.test(name))
      add(`${name} dropped`, node, source.slice(object.start, object.end));
    if (isOfZod && /^(email|uuid|url)$/.test(name)) add(`${name} accepts any text`, node, "z.string()");
    callArgumentNodes(node).forEach((argument, at) => {
      const step = bounds[name]?.[at];
      if (step && typeof argument["value"] === "number")
        add("bound moved", argument, String(argument["value"] + step));
    });
    const [values] = callArgumentNodes(node);
    const elements = values?.type === "ArrayExpression" ? (values["elements"] as SyntaxNode[]) : [];
    const last = elements.at(-1);
    const beforeLast = elements.at(-2);
    if (name === "enum" && last && beforeLast)
      add("value dropped", { start: beforeLast.end, end: last.end }, "");
  });
  return drafts;
}

/** The whole call chain, which the coverage run observes. */
function outermost(node: SyntaxNode, parents: readonly SyntaxNode[]): SyntaxNode {
  let chain = node;
  for (const parent of parents.toReversed()) {
    const goesOn =
      (parent.type === "MemberExpression" && parent["object"] === chain) ||
      (parent.type === "CallExpression" && parent["callee"] === chain);
    if (!goesOn) break;
    chain = parent;
  }
  return chain;
}

/** True if a chain begins with a schema: `z.…`, a field type or a named schema. */
const isSchema = (source: string, object: SyntaxNode): boolean =>
  /^(z\b|[A-Z]\w+|text|title|integer|list|hundredths|upperEnum|lowerEnum)/.test(
    source.slice(object.start, object.end),
  );
