import { inject } from "vitest";
import type { Holder } from "./university.ts";

/*
 * Generated suites send requests for every operation. `npm run test:all` combines each with all callers and
 * faults. `npm test` uses representatives, chosen by the expected verdicts.
 */

export const isExhaustive = (): boolean => inject("exhaustive");

/** Few in `npm test`, all in `npm run test:all`. */
export const allOr = <Item>(all: readonly Item[], few: () => readonly Item[]): readonly Item[] =>
  isExhaustive() ? all : few();

/**
 * From callers in order of rank, those next to a change of the expected verdict. If it never changes: the
 * lowest if all are allowed, otherwise the highest.
 */
export function nextToChanges<Caller>(
  ranked: readonly Caller[],
  expected: (caller: Caller) => string,
): Caller[] {
  const verdicts = ranked.map(expected);
  const isChange = (at: number) => at > 0 && at < ranked.length && verdicts[at] !== verdicts[at - 1];
  const found = ranked.filter((_, at) => isChange(at) || isChange(at + 1));
  if (found.length > 0) return found;
  return verdicts[0] === "admitted" ? ranked.slice(0, 1) : ranked.slice(-1);
}

/**
 * The same per university and department, from a person without a role to the highest role. A role rejected
 * in the first, widest scope is rejected in the others. A role allowed in several is used in the last.
 */
export function peopleNextToChanges(
  people: readonly Holder[],
  expected: (person: Holder) => string,
): Holder[] {
  const withoutRole = people.filter(({ held }) => !held);
  const scopes = Map.groupBy(
    people.filter(({ held }) => held),
    ({ held }) => `${held?.university_id} ${held?.department_id}`,
  );
  const chosen = [...scopes.values()].flatMap((ranked) =>
    nextToChanges([...withoutRole, ...ranked], expected),
  );
  const [widest = []] = scopes.values();
  return people.filter((person, at) => {
    const isAlike = (other: Holder) =>
      other !== person && other.held?.role === person.held?.role && expected(other) === expected(person);
    const others = expected(person) === "admitted" ? people.slice(at) : widest;
    return chosen.includes(person) && !others.some((other) => chosen.includes(other) && isAlike(other));
  });
}

/** One item of each kind, a different one each turn. */
export function oneOfEach<Item>(
  items: readonly Item[],
  kindOf: (item: Item) => string,
  turn: number,
): Item[] {
  return [...Map.groupBy(items, kindOf).values()].flatMap((alike) => alike[turn % alike.length] ?? []);
}

/** Items with a key that no earlier item has. The first item differs each turn. */
export function withNewKeys<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
  { turn, met = new Set() }: { turn: number; met?: Set<string> },
): Item[] {
  const from = items.length > 0 ? turn % items.length : 0;
  return [...items.slice(from), ...items.slice(0, from)].filter((item) => {
    const keys = keysOf(item);
    const isNew = keys.some((key) => !met.has(key));
    for (const key of keys) met.add(key);
    return isNew;
  });
}
