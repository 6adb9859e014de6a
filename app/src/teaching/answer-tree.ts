import type { Schemas } from "learning-platform-client";

type Node = Schemas["CacheNode"];

/** A stored answer with its follow-ups. `label` is the choice that leads to it. */
export type AnswerBranch = { node: Node; label: string | undefined; children: AnswerBranch[] };

/**
 * Builds the tree from its flat list. Versions of an answer by prompt or model are separate branches. A node
 * whose parent is on another page becomes a root.
 */
export function buildAnswerTree(nodes: readonly Node[]): AnswerBranch[] {
  const branches = new Map(
    nodes.map((node) => [node.id, { node, label: undefined, children: [] } as AnswerBranch]),
  );
  const tops: AnswerBranch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.node.parent_id === null ? undefined : branches.get(branch.node.parent_id);
    branch.label = parent && choiceIn(branch.node.message, parent.node);
    (parent?.children ?? tops).push(branch);
  }
  for (const { children } of branches.values()) children.sort(byVisits);
  return tops.sort(byVisits);
}

const byVisits = (one: AnswerBranch, other: AnswerBranch): number => other.node.visits - one.node.visits;

/** The text of the option that a message chose, or undefined if it is none of the question's. */
function choiceIn(message: string, { question }: Node): string | undefined {
  try {
    const { answer } = Object(JSON.parse(message));
    const option = question?.options.find(({ id, text }) => id === answer || text === answer);
    return option ? `${option.id} · ${option.text}` : String(answer ?? message);
  } catch {
    return message;
  }
}

/** The number of answers that follow a stored answer. */
export const countFollowUpAnswers = ({ children }: AnswerBranch): number =>
  children.reduce((sum, child) => sum + 1 + countFollowUpAnswers(child), 0);
