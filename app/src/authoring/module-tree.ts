type Node = { id: number; parent_module_id: number | null; sequence_index: number };

/** Children of a module, or the course's top-level modules, in order. */
export const sortedChildModules = <Module extends Node>(
  modules: readonly Module[],
  parent: number | null,
): Module[] =>
  modules
    .filter(({ parent_module_id }) => parent_module_id === parent)
    .sort((one, other) => one.sequence_index - other.sequence_index);

/** Valid parents of a module: all but itself and its descendants. */
export function validParentModules<Module extends Node>(
  modules: readonly Module[],
  id: number | undefined,
): Module[] {
  const below = new Set(id === undefined ? [] : [id]);
  // Descendants follow in tree order, except for a module that was just moved, so repeat until stable.
  for (let size = -1; size < below.size; ) {
    size = below.size;
    for (const module of modules) if (below.has(module.parent_module_id ?? 0)) below.add(module.id);
  }
  return modules.filter((module) => !below.has(module.id));
}
