import { inject } from "vitest";
import type { Holder } from "./university.ts";

/*
 * The generated suites ask every operation. `npm run test:all` asks each as every caller and with every fault, `npm test`
 * as the callers and with the faults chosen here. The choice follows from the verdicts that the suites expect anyway.
 */

/** Whether everything is asked. */
export const isExhaustive = (): boolean => inject("exhaustive");

/** In `npm test` the few, in `npm run test:all` all. */
export const allOr = <Item>(all: readonly Item[], few: () => readonly Item[]): readonly Item[] =>
  isExhaustive() ? all : few();

/**
 * The callers next to whom the expected verdict changes, of callers by rank. If it never changes, the least of callers
 * who are all admitted, and the greatest of any others.
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
 * The same within each university and department, from someone without a role up to its greatest role. The first of them is
 * the widest: a role that is refused there is refused in the others. A role that several admit is asked in the last one.
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

/** One item of each kind, and the next one at each turn. */
export function oneOfEach<Item>(
  items: readonly Item[],
  kindOf: (item: Item) => string,
  turn: number,
): Item[] {
  return [...Map.groupBy(items, kindOf).values()].flatMap((alike) => alike[turn % alike.length] ?? []);
}

/** The items that have a key which none before them had; the first one is another one at each turn. */
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
