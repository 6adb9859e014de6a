/** The current screen's pattern, such as `courses/:course/:offering`, and its parameters. */
export type MatchedRoute<Pattern extends string = string> = {
  pattern: Pattern;
  values: Record<string, string>;
};

/**
 * The route of a fragment, such as `#/courses/3/4`, or undefined. Fragments work under any mount path, and
 * the service needs only one page.
 */
export function matchRoute<Pattern extends string>(
  fragment: string,
  patterns: readonly Pattern[],
): MatchedRoute<Pattern> | undefined {
  const parts = partsOf(fragment.replace(/^#/, "").replace(/\?.*$/s, ""));
  for (const pattern of patterns) {
    const values = match(partsOf(pattern), parts);
    if (values) return { pattern, values };
  }
  return undefined;
}

const partsOf = (path: string): string[] => path.split("/").filter(Boolean);

function match(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const given = parts[at] ?? "";
    if (part.startsWith(":")) values[part.slice(1)] = decoded(given);
    else if (part !== given) return undefined;
  }
  return values;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A query parameter of the fragment, such as the token of a mail's link. */
export const fragmentParameter = (fragment: string, name: string): string =>
  new URLSearchParams(fragment.split("?")[1] ?? "").get(name) ?? "";

/** A link to a screen: `to("courses", 3, 4)` is `#/courses/3/4`. */
export const screenHref = (...parts: (string | number)[]): string =>
  `#/${parts.map(encodeURIComponent).join("/")}`;
