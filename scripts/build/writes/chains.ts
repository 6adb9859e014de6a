import type { Trigger, Verb, Writes } from "./read.ts";

/** One effect of a write: the trigger, its function's writes, and their effects. */
export type Step = { trigger: Trigger; writes: readonly string[]; further: readonly Chain[] };

/** A write, as `insert enrollments`, and all that follows from it. */
export type Chain = { write: string; steps: readonly Step[] };

/** Writes of a function, including those of its callees. */
export function writesOf({ functions }: Writes, name: string, seen = new Set<string>()): string[] {
  const own = functions.get(name);
  if (!own || seen.has(name)) return [];
  seen.add(name);
  const further = own.calls.flatMap((called) => writesOf({ functions } as Writes, called, seen));
  return [...new Set([...own.writes, ...further])].toSorted();
}

/** The chain of a write. Writes that are already above it are named but not followed again. */
export function chainOf(writes: Writes, write: string, above: readonly string[] = []): Chain {
  const [verb, table] = write.split(" ") as [Verb, string];
  const triggers = writes.triggers.filter((one) => one.table === table && one.verbs.includes(verb));
  const way = [...above, write];
  const steps = triggers.map((trigger) => {
    const written = writesOf(writes, trigger.calls);
    const further = written.filter((one) => !way.includes(one)).map((one) => chainOf(writes, one, way));
    return { trigger, writes: written, further: further.filter(({ steps }) => steps.length > 0) };
  });
  return { write, steps };
}

export function tablesOf({ write, steps }: Chain): string[] {
  const further = steps.flatMap(({ writes, further }) => [
    ...writes.map((one) => one.split(" ")[1] as string),
    ...further.flatMap(tablesOf),
  ]);
  return [...new Set([write.split(" ")[1] as string, ...further])];
}

/** Locks of a chain's functions, including those of callees, in order. */
export function locksOf(writes: Writes, { steps }: Chain): string[] {
  const found = steps.flatMap(({ trigger, further }) => [
    ...locksOfFunction(writes, trigger.calls),
    ...further.flatMap((chain) => locksOf(writes, chain)),
  ]);
  return [...new Set(found)];
}

function locksOfFunction(writes: Writes, name: string, seen = new Set<string>()): string[] {
  const own = writes.functions.get(name);
  if (!own || seen.has(name)) return [];
  seen.add(name);
  return [...own.locks, ...own.calls.flatMap((called) => locksOfFunction(writes, called, seen))];
}

/** All writes with effects, those that reach most tables first. */
export function chains(writes: Writes): Chain[] {
  const begun = new Set(
    writes.triggers.flatMap(({ verbs, table }) => verbs.map((verb) => `${verb} ${table}`)),
  );
  return [...begun]
    .map((write) => chainOf(writes, write))
    .toSorted((a, b) => tablesOf(b).length - tablesOf(a).length || (a.write < b.write ? -1 : 1));
}
