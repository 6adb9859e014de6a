import { createContext } from "preact";

export type SelectedItems = { modules: ReadonlySet<number>; items: ReadonlySet<number> };

export const emptySelection: SelectedItems = { modules: new Set(), items: new Set() };

export type SelectionState = {
  /** Absent outside selection mode. */
  chosen?: SelectedItems;
  turn(kind: keyof SelectedItems, id: number): void;
  /** Incremented after a bulk change, to reload what was read before. */
  round: number;
};

export const SelectionContext = createContext<SelectionState>({ turn: () => {}, round: 0 });

export function toggleSelectedItem(
  selection: SelectedItems,
  kind: keyof SelectedItems,
  id: number,
): SelectedItems {
  const ids = new Set(selection[kind]);
  if (!ids.delete(id)) ids.add(id);
  return { ...selection, [kind]: ids };
}
