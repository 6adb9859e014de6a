import { memoizeLru } from "../caching/lru.ts";

/** The texts of a process's own statements, a few KB each. */
const mostStatements = 300;

const operations = ["select", "insert", "update", "delete", "merge", "begin", "commit", "rollback"];

/** A statement's verb: one word of a short list, otherwise `other`. */
export function sqlVerbOf(statement: string): string {
  const [, verb = ""] = /^\s*(\w+)/.exec(statement) ?? [];
  const word = verb.toLowerCase();
  if (word === "with") return writeWithin(statement) ?? "select";
  return operations.includes(word) ? word : "other";
}

/** The first write in a `with` statement. `for update` and `do update` do not count. */
const writeWithin = memoizeLru(mostStatements, (statement: string): string | undefined =>
  /(?<!\b(?:for|for no key|do)\s+)\b(insert|update|delete|merge)\b/i.exec(statement)?.[1]?.toLowerCase(),
);
