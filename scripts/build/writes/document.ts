import { type Chain, chains, locksOf, tablesOf, writesOf } from "./chains.ts";
import type { Trigger, Writes } from "./read.ts";

const drawn = 10;

/** docs/reference/writes.md: the effects of each write. */
export function writesDocument(writes: Writes): string {
  const sections = [
    introduction(writes),
    "## The longest chains",
    "All possible effects of a write. A trigger for some columns, or with a condition, does not run for other changes.",
    ...longestChains(writes).map((chain) => drawing(writes, chain)),
    "## Triggers",
    "A trigger `of` a column runs when that column is written. Conditions are PostgreSQL's own text.",
    table([
      ["Write", "When", "Trigger", "Function", "It writes"],
      ...writes.triggers.map((one) => triggerRow(writes, one)),
    ]),
    "## Deletions by foreign keys",
    "When a row is deleted, foreign keys delete the rows that refer to it, or set their reference to null.",
    table([
      ["Deleted row", "deletes rows of", "sets null in"],
      ...writes.cascades.map(({ table: of, deletes, nulls }) => [code(of), codes(deletes), codes(nulls)]),
    ]),
    "## Functions that write",
    "What a function writes and locks itself, in the order of its text, and the writing functions that it calls. Its triggers' effects are above.",
    table([["Function", "It writes", "It locks", "It calls"], ...functionRows(writes)]),
    "## Order of locks",
    "The head of each file says in which order its functions take locks.",
    table([["File", "Locks"], ...lockRows(writes)]),
  ];
  return `${sections.join("\n\n")}\n`;
}

const introduction = ({ triggers, functions }: Writes): string => `# Effects of writes

After this page you know which triggers, functions and foreign keys a write starts, and which rows they lock.

\`npm run generate\` writes this page from the triggers, foreign keys and function texts of a database with the schema.

${triggers.length} triggers are on ${new Set(triggers.map((one) => one.table)).size} tables; of ${functions.size} functions ${
  [...functions.values()].filter(({ writes }) => writes.length > 0).length
} of ${functions.size} functions write.`;

/** The first of a table's writes with the same effects. */
export function longestChains(writes: Writes): Chain[] {
  const seen = new Set<string>();
  return chains(writes)
    .filter(({ write }) => {
      const table = write.split(" ")[1] as string;
      return !seen.has(table) && seen.add(table);
    })
    .slice(0, drawn);
}

function drawing(writes: Writes, chain: Chain): string {
  const lines = new Set<string>();
  const draw = ({ write, steps }: Chain): void => {
    for (const { trigger, writes, further } of steps) {
      lines.add(`  ${node(write)} -- ${trigger.name} --> ${trigger.calls}(["${trigger.calls}"])`);
      if (writes.length > 0) lines.add(`  ${trigger.calls} --> ${writes.map(node).join(" & ")}`);
      further.forEach(draw);
    }
  };
  draw(chain);
  const reached = tablesOf(chain);
  const locks = codes(locksOf(writes, chain));
  const held = locks ? ` Locked before they are written: ${locks}.` : "";
  const text = `### ${code(chain.write)}\n\n${reached.length} tables: ${codes(reached)}.${held}`;
  return `${text}\n\n\`\`\`mermaid\nflowchart LR\n${[...lines].join("\n")}\n\`\`\``;
}

const node = (write: string): string => `${write.replace(" ", "_")}["${write}"]`;

function triggerRow(writes: Writes, { name, table, verbs, moment, columns, condition, calls }: Trigger) {
  const of = columns.length > 0 ? ` of ${columns.join(", ")}` : "";
  const when = condition === null ? moment : `${moment}, when ${code(condition.replaceAll(/\s+/g, " "))}`;
  return [code(`${verbs.join(", ")} ${table}${of}`), when, name, code(calls), codes(writesOf(writes, calls))];
}

/** The functions that write, themselves or by those they call, in the order of their files. */
function functionRows({ functions, lockOrders }: Writes): string[][] {
  const writing = new Set(
    [...functions.keys()].filter((name) => writesOf({ functions } as Writes, name).length > 0),
  );
  return [...lockOrders.keys()].flatMap((file) =>
    [...functions.values()]
      .filter((one) => one.file === file && writing.has(one.name))
      .map(({ name, writes, locks, calls }) => [
        `${file.replace(".sql", "")} ${code(name)}`,
        codes(writes),
        codes(locks),
        codes(calls.filter((called) => writing.has(called))),
      ]),
  );
}

const lockRows = ({ lockOrders }: Writes): string[][] =>
  [...lockOrders].filter(([, locks]) => locks).map(([file, locks]) => [file.replace(".sql", ""), locks]);

const code = (text: string): string => `\`${text}\``;

const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

const table = ([head = [], ...rows]: string[][]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
