import type { Trigger, Verb, Writes } from "./read.ts";

/** What one write sets off: the trigger, its function, and what that writes, which may set off more. */
export type Step = { trigger: Trigger; writes: readonly string[]; further: readonly Chain[] };

/** A write, as `insert enrollments`, and all that follows from it. */
export type Chain = { write: string; steps: readonly Step[] };

/** What a function writes, by its own text and by what it calls. */
export function writesOf({ functions }: Writes, name: string, seen = new Set<string>()): string[] {
  const own = functions.get(name);
  if (!own || seen.has(name)) return [];
  seen.add(name);
  const further = own.calls.flatMap((called) => writesOf({ functions } as Writes, called, seen));
  return [...new Set([...own.writes, ...further])].toSorted();
}

/** The chain that a write begins. What stands above it already is named there, and not followed twice. */
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

/** The tables that a chain writes, its own first. */
export function tablesOf({ write, steps }: Chain): string[] {
  const further = steps.flatMap(({ writes, further }) => [
    ...writes.map((one) => one.split(" ")[1] as string),
    ...further.flatMap(tablesOf),
  ]);
  return [...new Set([write.split(" ")[1] as string, ...further])];
}

/** What the functions of a chain lock, by their own texts and by what they call, as they come one after the other. */
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

/** Every write that sets something off, the one that reaches most tables first. */
export function chains(writes: Writes): Chain[] {
  const begun = new Set(
    writes.triggers.flatMap(({ verbs, table }) => verbs.map((verb) => `${verb} ${table}`)),
  );
  return [...begun]
    .map((write) => chainOf(writes, write))
    .toSorted((a, b) => tablesOf(b).length - tablesOf(a).length || (a.write < b.write ? -1 : 1));
}
