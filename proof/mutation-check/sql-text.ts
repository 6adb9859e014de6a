import type { SourceEdit } from "./mutant.ts";

/** `from` and `to`: the changed condition's range. */
export type SqlConditionChange = SourceEdit & { operator: string; from: number; to: number };

/** The text with blanked comments and strings, of the same length. */
export const blankCommentsAndStrings = (text: string): string =>
  text.replaceAll(/--[^\n]*|'(?:[^']|'')*'/g, (found) =>
    found.startsWith("--") ? " ".repeat(found.length) : "s".repeat(found.length),
  );

const stops = new Set(
  `and or order group limit returning then else end having on join left right inner cross full where union intersect
  except window for offset fetch loop when from values set`.split(/\s+/),
);

const token = /\bcase\b|[a-z_]\w*|[();,]|\$\$/gi;

/** The end of a condition: before the statement's next keyword on the same level. */
function endOfCondition(masked: string, start: number, goesOn: (word: string) => boolean): number {
  let depth = 0;
  let cases = 0;
  let before = "";
  let between = false;
  token.lastIndex = start;
  for (let match = token.exec(masked); match; match = token.exec(masked)) {
    const word = match[0].toLowerCase();
    if (word === "(") depth += 1;
    else if (word === ")") depth -= 1;
    else if (word === "case") cases += 1;
    if (depth < 0) return match.index;
    if (word === "end" && cases > 0) cases -= 1;
    else if (depth === 0 && cases === 0 && word === "between") between = true;
    else if (depth === 0 && cases === 0 && word === "and" && between) between = false;
    else if (depth === 0 && cases === 0) {
      const isPartOfIt = (word === "from" && before === "distinct") || masked[token.lastIndex] === "(";
      if (/^[;,]$|^\$\$$/.test(word)) return match.index;
      if (stops.has(word) && !isPartOfIt && !goesOn(word)) return match.index;
    }
    before = word;
  }
  return masked.length;
}

const trimmed = (text: string, start: number, end: number): [number, number] => {
  const part = text.slice(start, end);
  return [start + part.length - part.trimStart().length, end - (part.length - part.trimEnd().length)];
};

const opposites: Record<string, [string, string]> = {
  "=": ["equality inverted", "<>"],
  "<>": ["equality inverted", "="],
  "<": ["bound moved", "<="],
  "<=": ["bound moved", "<"],
  ">": ["bound moved", ">="],
  ">=": ["bound moved", ">"],
};

/** Possible faults of conditions. `masked` is `withoutWords`, in TypeScript without embedded values. */
export function proposeSqlConditionChanges(masked: string): SqlConditionChange[] {
  const changes: SqlConditionChange[] = [];
  for (const match of masked.matchAll(/\b(where|and|or|if|elsif|when)\b/gi)) {
    const keyword = match[1]?.toLowerCase() ?? "";
    const after = match.index + keyword.length;
    const isWhole = keyword === "if" || keyword === "elsif" || keyword === "when";
    const end = endOfCondition(masked, after, (word) => isWhole && (word === "and" || word === "or"));
    const [from, to] = trimmed(masked, after, end);
    const condition = masked.slice(from, to);
    if (!condition || /^(exists|not exists)$/i.test(condition)) continue;
    if (isWhole) {
      const follows = masked.slice(to).trimStart().toLowerCase();
      if (follows.startsWith("then") && /[=<>]|\b(is|not|exists|in|found)\b/i.test(condition))
        changes.push({
          start: from,
          end: to,
          text: `not (${condition})`,
          operator: "branch inverted",
          from,
          to,
        });
      continue;
    }
    if (isBoundOfBetween(masked, match.index)) continue;
    if (keyword === "and")
      changes.push({ start: match.index, end: to, text: "", operator: "condition dropped", from, to });
    if (keyword === "where" && !/^true$/i.test(condition))
      changes.push({ start: from, end: to, text: "true", operator: "condition dropped", from, to });
    changes.push(...changesWithin(condition, from).map((change) => ({ ...change, from, to })));
  }
  for (const match of masked.matchAll(/,\s*(true|false)\)/gi)) {
    const word = match[1] ?? "";
    const start = match.index + match[0].indexOf(word);
    if (!isOfCoalesce(masked, match.index)) continue;
    const text = word.toLowerCase() === "true" ? "false" : "true";
    changes.push({
      start,
      end: start + word.length,
      text,
      operator: "default inverted",
      from: start,
      to: start + word.length,
    });
  }
  return changes;
}

function changesWithin(condition: string, from: number): (SourceEdit & { operator: string })[] {
  const not = /^not\s+/i.exec(condition);
  if (not) return [{ start: from, end: from + not[0].length, text: "", operator: "not dropped" }];
  const isNull = /\bis (not )?null$/i.exec(condition);
  if (isNull && !/[()]/.test(condition))
    return [
      {
        start: from + isNull.index,
        end: from + condition.length,
        text: isNull[1] ? "is null" : "is not null",
        operator: "null inverted",
      },
    ];
  const comparison = /^[^()]*?\s(=|<>|<=|>=|<|>)\s/.exec(condition);
  const opposite = opposites[comparison?.[1] ?? ""];
  if (!comparison || !opposite) return [];
  const start = from + comparison[0].trimEnd().length - (comparison[1]?.length ?? 0);
  return [{ start, end: from + comparison[0].trimEnd().length, text: opposite[1], operator: opposite[0] }];
}

/** True if this `and` belongs to a `between`. */
function isBoundOfBetween(masked: string, index: number): boolean {
  const before = masked.slice(Math.max(0, index - 200), index);
  const last = before.toLowerCase().lastIndexOf("between");
  return last >= 0 && !/\b(and|or|where|when|then|select)\b|;/i.test(before.slice(last + 7));
}

/** True if the open parenthesis at `index` belongs to a `coalesce`. */
function isOfCoalesce(masked: string, index: number): boolean {
  let depth = 0;
  for (let at = index; at >= 0; at -= 1) {
    if (masked[at] === ")") depth += 1;
    if (masked[at] !== "(") continue;
    depth -= 1;
    if (depth < 0) return /coalesce$/i.test(masked.slice(Math.max(0, at - 8), at));
  }
  return false;
}

/** A function or view in schema/functions, with its range. */
export type SqlRoutine = { name: string; kind: "function" | "view"; start: number; end: number };

export function findSqlRoutines(text: string): SqlRoutine[] {
  const begins = [...text.matchAll(/^(?:create|alter|drop|grant|revoke|do|comment|select)\b/gim)].map(
    ({ index }) => index,
  );
  return begins.flatMap((start, at) => {
    const match = /^create or replace (function|view) (\w+)/i.exec(text.slice(start, start + 200));
    if (!match?.[1] || !match[2]) return [];
    const kind = match[1].toLowerCase() === "view" ? "view" : "function";
    return [{ name: match[2], kind, start, end: endOfDefinition(text, start, begins[at + 1]) } as SqlRoutine];
  });
}

/** Bodies may contain lines that look like statements: a function ends with its second `$$`. */
function endOfDefinition(text: string, start: number, next: number | undefined): number {
  const opened = text.slice(start, next).startsWith("create or replace view")
    ? -1
    : text.indexOf("$$", start);
  return opened < 0 ? (next ?? text.length) : text.indexOf("$$", opened + 2) + 2;
}
