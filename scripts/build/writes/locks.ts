export const advisoryLock = "an advisory lock";

/**
 * Of which tables the text of a function holds rows, as `users for share`, or all, as `courses as a table`, and advisory
 * locks; in the text's order.
 */
export function locksIn(text: string): string[] {
  const found: string[] = [];
  // What each parenthesis that is open reads from.
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
      // A query that begins behind a `union` or in a `with` of the same parenthesis is another.
      sources.clear();
    } else sources.clear();
  }
  return [...new Set(found)];
}

/** Tables by what they are called in their query. */
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
