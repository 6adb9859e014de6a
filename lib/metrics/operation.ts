const operations = ["select", "insert", "update", "delete", "merge", "begin", "commit", "rollback"];

/** What a statement does, as the label of a metric: one word of a short list, `other` for the rest. */
export function operationOf(statement: string): string {
  const [, verb = ""] = /^\s*(\w+)/.exec(statement) ?? [];
  const word = verb.toLowerCase();
  if (word === "with") return writeWithin(statement) ?? "select";
  return operations.includes(word) ? word : "other";
}

/** The first write among the parts of a `with` statement; `for update` and `do update` only belong to others. */
function writeWithin(statement: string): string | undefined {
  return /(?<!\b(?:for|for no key|do)\s+)\b(insert|update|delete|merge)\b/i
    .exec(statement)?.[1]
    ?.toLowerCase();
}
