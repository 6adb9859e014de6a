type Node = { id: number; parent_module_id: number | null };

/**
 * Depth first, parents before children, siblings in the given order. Drops subtrees whose parent is missing.
 */
export function inTreeOrder<M extends Node>(modules: readonly M[]): M[] {
  const children = Map.groupBy(modules, (module) => module.parent_module_id);
  const below = (parent: number | null): M[] =>
    (children.get(parent) ?? []).flatMap((module) => [module, ...below(module.id)]);
  return below(null);
}
