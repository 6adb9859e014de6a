/** A resource that may name a better version of its content. */
type Versioned = { identifier: string; type: string; variantOf: string | undefined };

/** The version to import, and the types of better ones that are not supported. */
export type ChosenVariant<One> = { best: One; unsupported: string[] };

/**
 * Chooses a version for each identifier, also for identifiers of better versions that cannot be read. Circular
 * references end.
 */
export function chooseVariants<One extends Versioned>(
  resources: ReadonlyMap<string, One>,
  isSupported: (one: One) => boolean,
): Map<string, ChosenVariant<One>> {
  const chosen = new Map<string, ChosenVariant<One>>();
  for (const one of resources.values()) {
    const versions = versionsOf(one, resources);
    if (versions.length === 1) continue;
    const best = versions.findLast(isSupported) ?? one;
    const better = versions.slice(versions.indexOf(best) + 1);
    const variant = { best, unsupported: better.map(({ type }) => type) };
    for (const version of versions)
      if (version === one || !chosen.has(version.identifier)) chosen.set(version.identifier, variant);
  }
  return chosen;
}

/** From the worst to the best. */
function versionsOf<One extends Versioned>(one: One, resources: ReadonlyMap<string, One>): One[] {
  const versions = [one];
  for (;;) {
    const next = resources.get(versions.at(-1)?.variantOf ?? "");
    if (!next || versions.includes(next)) return versions;
    versions.push(next);
  }
}
