type Node = { id: number; parent_module_id: number | null };

/**
 * Modules in tree order: depth first, each before the ones below it. They come with siblings in their order.
 * A module whose parent is not among them is left out, and with it all that is below.
 */
export function inTreeOrder<M extends Node>(modules: readonly M[]): M[] {
  const children = Map.groupBy(modules, (module) => module.parent_module_id);
  const below = (parent: number | null): M[] =>
    (children.get(parent) ?? []).flatMap((module) => [module, ...below(module.id)]);
  return below(null);
}
