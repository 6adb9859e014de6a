import type { Schemas } from "learning-platform-client";

type Node = Schemas["CacheNode"];

/** A stored answer with those that follow from it, by how the class came to them. */
export type Branch = { node: Node; label: string | undefined; children: Branch[] };

/**
 * The class's tree, from its flat list. Of several versions of an answer, made by another prompt or model, each is a
 * branch of its own. A node whose parent is not in the list, since pages end somewhere, stands at the top.
 */
export function branchesOf(nodes: readonly Node[]): Branch[] {
  const branches = new Map(
    nodes.map((node) => [node.id, { node, label: undefined, children: [] } as Branch]),
  );
  const tops: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.node.parent_id === null ? undefined : branches.get(branch.node.parent_id);
    branch.label = parent && choiceIn(branch.node.message, parent.node);
    (parent?.children ?? tops).push(branch);
  }
  for (const { children } of branches.values()) children.sort(byVisits);
  return tops.sort(byVisits);
}

const byVisits = (one: Branch, other: Branch): number => other.node.visits - one.node.visits;

/** The option that a message chooses of the question before it; undefined when it is none of them. */
function choiceIn(message: string, { question }: Node): string | undefined {
  try {
    const { answer } = Object(JSON.parse(message));
    const option = question?.options.find(({ id, text }) => id === answer || text === answer);
    return option ? `${option.id} · ${option.text}` : String(answer ?? message);
  } catch {
    return message;
  }
}
