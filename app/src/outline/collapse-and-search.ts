import type { Schemas } from "learning-platform-client";
import { createContainsWordsFilter } from "../contains-words.ts";

export type OutlineModule = Schemas["OutlineModule"];
export type OutlineItem = Schemas["OutlineItem"];

/** Outlines with more topics start collapsed and are searchable. */
const maxTopicsShownExpanded = 60;

/** Topics of a module per step. */
export const topicsShownPerStep = 50;

export const maxSearchResults = 100;

const topicsIn = (modules: readonly OutlineModule[]): number =>
  modules.reduce((sum, { items }) => sum + items.length, 0);

export const isLongOutline = (modules: readonly OutlineModule[]): boolean =>
  topicsIn(modules) > maxTopicsShownExpanded;

export const moduleOfItem = (modules: readonly OutlineModule[], item: number): OutlineModule | undefined =>
  modules.find(({ items }) => items.some(({ id }) => id === item));

export function moduleIdsOnPathTo(modules: readonly OutlineModule[], id: number): number[] {
  const parents = new Map(modules.map((one) => [one.id, one.parent_module_id]));
  const path: number[] = [];
  for (let at: number | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null)
    path.push(at);
  return path;
}

/**
 * Modules that are open initially: all of a short outline. In a long one, those around the last topic or the
 * first open one.
 */
export function initiallyOpenModuleIds(modules: readonly OutlineModule[], from?: number): Set<number> {
  if (!isLongOutline(modules)) return new Set(modules.map(({ id }) => id));
  const next = modules
    .flatMap(({ items }) => items)
    .find(({ completed_at, lock }) => completed_at === null && !lock);
  const current = moduleOfItem(modules, from ?? next?.id ?? 0) ?? modules[0];
  return new Set(current ? moduleIdsOnPathTo(modules, current.id) : []);
}

/**
 * Topics with all of the words in their title or their module's, with their modules: the first `mostFound`,
 * and the total. Pure.
 */
export function searchOutline(
  modules: readonly OutlineModule[],
  words: string,
): { modules: OutlineModule[]; count: number } {
  const isFound = createContainsWordsFilter(words);
  let count = 0;
  const kept = new Set<number>();
  const narrowed = modules.map((module) => {
    const items = module.items.filter(({ title }) => {
      return isFound(`${module.title} ${title}`) && ++count <= maxSearchResults;
    });
    if (items.length > 0) for (const id of moduleIdsOnPathTo(modules, module.id)) kept.add(id);
    return { ...module, items };
  });
  return { modules: narrowed.filter(({ id }) => kept.has(id)), count };
}

/** Completed and total topics of a module, with its descendants. */
export function countCompletedAndTotalTopics(
  module: OutlineModule,
  childrenOf: (id: number) => readonly OutlineModule[],
): [number, number] {
  const own = module.items.filter(({ completed_at }) => completed_at !== null).length;
  return childrenOf(module.id)
    .map((child) => countCompletedAndTotalTopics(child, childrenOf))
    .reduce(([done, all], [more, further]) => [done + more, all + further], [own, module.items.length]);
}
