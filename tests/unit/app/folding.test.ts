import { describe, expect, it } from "vitest";
import {
  countCompletedAndTotalTopics,
  initiallyOpenModuleIds,
  isLongOutline,
  maxSearchResults,
  moduleIdsOnPathTo,
  type OutlineModule,
  searchOutline,
} from "../../../app/src/outline/collapse-and-search.ts";

type Given = { id: number; parent?: number; title?: string; topics?: number; done?: number };

/** Modules whose topic ids start at a hundred times their own id. */
const modulesOf = (...given: Given[]): OutlineModule[] =>
  given.map(({ id, parent = null, title = `Week ${id}`, topics = 40, done = 0 }) => ({
    ...({ id, title, parent_module_id: parent, depth: 0 } as OutlineModule),
    items: Array.from({ length: topics }, (_, n) => ({
      ...({ id: 100 * id + n, title: `Topic ${n + 1}`, lock: null } as OutlineModule["items"][number]),
      completed_at: n < done ? "2026-01-01T00:00:00Z" : null,
    })),
  }));

const sorted = (ids: Iterable<number>) => [...ids].toSorted((one, other) => one - other);

describe("an outline that folds", () => {
  it("is open if it is short", () => {
    const modules = modulesOf({ id: 1, topics: 3 }, { id: 2, topics: 4 });
    expect(isLongOutline(modules)).toBe(false);
    expect(sorted(initiallyOpenModuleIds(modules))).toEqual([1, 2]);
  });

  it("is open around the first topic that is left to do, or the previous one", () => {
    const modules = modulesOf({ id: 1, done: 40 }, { id: 2, topics: 0 }, { id: 3, parent: 2 }, { id: 4 });
    expect(sorted(initiallyOpenModuleIds(modules))).toEqual([2, 3]);
    expect(sorted(initiallyOpenModuleIds(modules, 405))).toEqual([4]);
    expect(sorted(initiallyOpenModuleIds(modulesOf({ id: 1, done: 40 }, { id: 2, done: 40 })))).toEqual([1]);
    expect(moduleIdsOnPathTo(modules, 3)).toEqual([3, 2]);
    expect(moduleIdsOnPathTo(modules, 99)).toEqual([]);
  });

  it("finds topics by words of theirs and of their module, ignoring accents and case", () => {
    const modules = modulesOf(
      { id: 1, title: "Éléments", topics: 2 },
      { id: 2, parent: 1, title: "Signals" },
    );
    const { modules: found, count } = searchOutline(modules, "  SIGNALS topic 12 ");
    expect([count, found.map(({ id, items }) => [id, items.map(({ id: item }) => item)])]).toEqual([
      1,
      [
        [1, []],
        [2, [211]],
      ],
    ]);
    expect(searchOutline(modules, "elements").count).toBe(2);
    expect(searchOutline(modules, "nothing like it")).toEqual({ modules: [], count: 0 });
  });

  it("shows a limited number of matches, and counts all of them", () => {
    const { modules, count } = searchOutline(modulesOf(...[1, 2, 3, 4].map((id) => ({ id }))), "topic");
    expect([count, modules.flatMap(({ items }) => items).length]).toEqual([160, maxSearchResults]);
    expect(modules.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("counts completed items in a module and below it", () => {
    const modules = modulesOf({ id: 1, topics: 5, done: 2 }, { id: 2, parent: 1, topics: 3, done: 3 });
    const childrenOf = (id: number) => modules.filter(({ parent_module_id }) => parent_module_id === id);
    expect(modules.slice(0, 1).map((module) => countCompletedAndTotalTopics(module, childrenOf))).toEqual([
      [5, 8],
    ]);
  });
});
