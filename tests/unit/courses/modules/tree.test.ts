import { expect, it } from "vitest";
import { inTreeOrder } from "../../../../lib/courses/modules/tree.ts";

const node = (id: number, parent_module_id: number | null) => ({ id, parent_module_id });
const idsOf = (nodes: { id: number }[]) => nodes.map(({ id }) => id);

it("each module is before the ones below it, siblings in the given order", () => {
  const nodes = [node(5, 2), node(2, null), node(4, 1), node(1, null), node(3, 1), node(6, 4)];
  expect(idsOf(inTreeOrder(nodes))).toEqual([2, 5, 1, 4, 6, 3]);
});

it("a module without its parent is omitted with its subtree", () => {
  expect(idsOf(inTreeOrder([node(1, null), node(3, 2), node(4, 3)]))).toEqual([1]);
});

it("no modules are no tree", () => {
  expect(inTreeOrder([])).toEqual([]);
});
