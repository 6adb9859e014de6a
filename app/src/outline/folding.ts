import type { Schemas } from "learning-platform-client";

export type Module = Schemas["OutlineModule"];
export type Item = Schemas["OutlineItem"];

/** An outline with more topics is folded at first, and can be searched. */
const mostUnfolded = 60;

/** How many topics of a module are drawn at once. */
export const drawnAtOnce = 50;

/** How many topics that a search finds are shown. */
export const mostFound = 100;

const topicsIn = (modules: readonly Module[]): number =>
  modules.reduce((sum, { items }) => sum + items.length, 0);

export const isLong = (modules: readonly Module[]): boolean => topicsIn(modules) > mostUnfolded;

/** The module of an item. */
export const moduleOf = (modules: readonly Module[], item: number): Module | undefined =>
  modules.find(({ items }) => items.some(({ id }) => id === item));

/** A module and those that it lies in. */
export function pathTo(modules: readonly Module[], id: number): number[] {
  const parents = new Map(modules.map((one) => [one.id, one.parent_module_id]));
  const path: number[] = [];
  for (let at: number | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null)
    path.push(at);
  return path;
}

/**
 * The modules that are open at first: all of a short outline; of a long one those around the topic that one comes from, or
 * else around the first that is not done and not locked.
 */
export function openAtFirst(modules: readonly Module[], from?: number): Set<number> {
  if (!isLong(modules)) return new Set(modules.map(({ id }) => id));
  const next = modules
    .flatMap(({ items }) => items)
    .find(({ completed_at, lock }) => completed_at === null && !lock);
  const current = moduleOf(modules, from ?? next?.id ?? 0) ?? modules[0];
  return new Set(current ? pathTo(modules, current.id) : []);
}

/** A text as it is compared: without accents and capitals. */
const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/**
 * The topics that have all of the words in their title or their module's, with the modules that they lie in: the first
 * `mostFound` of them, and how many there are. Pure.
 */
export function search(modules: readonly Module[], words: string): { modules: Module[]; count: number } {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  let count = 0;
  const kept = new Set<number>();
  const narrowed = modules.map((module) => {
    const items = module.items.filter(({ title }) => {
      const text = plain(`${module.title} ${title}`);
      return wanted.every((word) => text.includes(word)) && ++count <= mostFound;
    });
    if (items.length > 0) for (const id of pathTo(modules, module.id)) kept.add(id);
    return { ...module, items };
  });
  return { modules: narrowed.filter(({ id }) => kept.has(id)), count };
}

/** How many topics a module has with all below it, and how many of them are done. */
export function doneIn(module: Module, childrenOf: (id: number) => readonly Module[]): [number, number] {
  const own = module.items.filter(({ completed_at }) => completed_at !== null).length;
  return childrenOf(module.id)
    .map((child) => doneIn(child, childrenOf))
    .reduce(([done, all], [more, further]) => [done + more, all + further], [own, module.items.length]);
}
