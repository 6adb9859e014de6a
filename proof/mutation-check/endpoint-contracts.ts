import type { MutantDraft } from "./mutant.ts";
import {
  callArgumentNodes,
  calledFunctionName,
  isSyntaxNode,
  type SyntaxNode,
  walkSyntaxTree,
} from "./syntax.ts";

/** Weaker replacements of a contract's guard. */
const weaker: Record<string, string> = {
  signedInWholly: "signedIn",
  signedInByToken: "anyone",
  signedIn: "maybeSignedIn",
  may: "signedIn",
  byKey: "signedIn",
  refreshing: "signedIn",
};

const guardsFile = /from ("[^"]*\/lib\/identity\/auth\/guards\.ts")/;

/** Faults of endpoint contracts: weaker guards, and scopes removed from API keys. */
export function draftEndpointContractMutants(source: string): MutantDraft[] {
  const drafts: MutantDraft[] = [];
  const imported = guardsFile.exec(source)?.[1];
  walkSyntaxTree(source, (node) => {
    const [contract, handler] = calledFunctionName(node) === "endpoint" ? callArgumentNodes(node) : [];
    if (contract?.type !== "ObjectExpression" || !handler) return;
    for (const property of contract["properties"] as SyntaxNode[]) {
      const add = (operator: string, text: string) =>
        drafts.push({
          category: "guards",
          operator,
          edit: { start: property.start, end: property.end, text },
          probe: { start: handler.start, end: handler.end, kind: "called" },
        });
      const { argument, key } = property;
      const guard = isSyntaxNode(argument)
        ? weaker[calledFunctionName(argument) ?? String(argument["name"])]
        : undefined;
      if (property.type === "SpreadElement" && guard && imported)
        add("guard weakened", `...(await import(${imported})).${guard}`);
      if (isSyntaxNode(key) && key["name"] === "scope") add("scope dropped", "scope: undefined");
    }
  });
  return drafts;
}
