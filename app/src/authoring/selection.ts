import { createContext } from "preact";

export type SelectedModulesAndItems = { modules: ReadonlySet<number>; items: ReadonlySet<number> };

export const emptySelection: SelectedModulesAndItems = { modules: new Set(), items: new Set() };

export type OutlineSelectionState = {
  /** Absent outside selection mode. */
  chosen?: SelectedModulesAndItems;
  turn(kind: keyof SelectedModulesAndItems, id: number): void;
  /** Incremented after a bulk change, to reload what was read before. */
  round: number;
};

export const OutlineSelectionContext = createContext<OutlineSelectionState>({ turn: () => {}, round: 0 });

export function withModuleOrItemToggled(
  selection: SelectedModulesAndItems,
  kind: keyof SelectedModulesAndItems,
  id: number,
): SelectedModulesAndItems {
  const ids = new Set(selection[kind]);
  if (!ids.delete(id)) ids.add(id);
  return { ...selection, [kind]: ids };
}
