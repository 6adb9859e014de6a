type Node = { id: number; parent_module_id: number | null; sequence_index: number };

/** The modules right below one, or at the top of the course, in their order. */
export const childrenOf = <Module extends Node>(
  modules: readonly Module[],
  parent: number | null,
): Module[] =>
  modules
    .filter(({ parent_module_id }) => parent_module_id === parent)
    .sort((one, other) => one.sequence_index - other.sequence_index);

/** The modules that one can be put into: neither itself nor what is below it. */
export function parentsFor<Module extends Node>(
  modules: readonly Module[],
  id: number | undefined,
): Module[] {
  const below = new Set(id === undefined ? [] : [id]);
  // What is below stands behind in the order of the tree, but for one that was just moved.
  for (let size = -1; size < below.size; ) {
    size = below.size;
    for (const module of modules) if (below.has(module.parent_module_id ?? 0)) below.add(module.id);
  }
  return modules.filter((module) => !below.has(module.id));
}
