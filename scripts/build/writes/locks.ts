export const advisoryLock = "an advisory lock";

/**
 * Locks in a function's text, in order: rows (`users for share`), tables (`courses as a table`) and advisory
 * locks.
 */
export function locksIn(text: string): string[] {
  const found: string[] = [];
  // Sources of each open parenthesis.
  const open: Sources[] = [new Map()];
  for (const one of text.matchAll(tokens)) {
    const all = one[0];
    const { table, alias, whole, advisory, mode, of } = one.groups as Token;
    const sources = open.at(-1) as Sources;
    if (all === "(") open.push(new Map());
    else if (all === ")") open.length > 1 && open.pop();
    else if (all === ";") open.splice(0, open.length, new Map());
    else if (table) sources.set(alias ?? table, table);
    else if (whole) found.push(`${whole} as a table`);
    else if (advisory) found.push(advisoryLock);
    else if (mode) {
      const held = of ? [sources.get(of)] : [...sources.values()];
      found.push(...held.map((name) => `${name} for ${mode.toLowerCase().replace(/\s+/g, " ")}`));
      // A `union` or `with` in the same parenthesis starts another query.
      sources.clear();
    } else sources.clear();
  }
  return [...new Set(found)];
}

/** Tables by alias in their query. */
type Sources = Map<string, string>;

type Token = Partial<Record<"table" | "alias" | "whole" | "advisory" | "mode" | "of", string>>;

const notAnAlias =
  "(?:where|on|join|left|right|inner|cross|order|returning|having|for|limit|group|set|union|using|loop)\\b";

const tokens = new RegExp(
  [
    "[();]",
    `\\b(?:from|join)\\s+(?:only\\s+)?(?<table>[a-z_]\\w*)(?![\\w(])(?:\\s+(?:as\\s+)?(?!${notAnAlias})(?<alias>[a-z_]\\w*))?`,
    "\\bfor\\s+(?<mode>(?:no\\s+key\\s+)?update|(?:key\\s+)?share)\\b(?:\\s+of\\s+(?<of>\\w+))?",
    "\\block\\s+table\\s+(?<whole>\\w+)",
    "(?<advisory>\\bpg_(?:try_)?advisory_xact_lock(?:_shared)?)\\b",
    "\\b(?:select|perform)\\b",
  ].join("|"),
  "gi",
);
