import { createContext } from "preact";

export type Selection = { modules: ReadonlySet<number>; items: ReadonlySet<number> };

export const emptySelection: Selection = { modules: new Set(), items: new Set() };

export type SelectionState = {
  /** Absent outside selection mode. */
  chosen?: Selection;
  turn(kind: keyof Selection, id: number): void;
  /** Incremented after a bulk change, to reload what was read before. */
  round: number;
};

export const SelectionContext = createContext<SelectionState>({ turn: () => {}, round: 0 });

export function toggled(selection: Selection, kind: keyof Selection, id: number): Selection {
  const ids = new Set(selection[kind]);
  if (!ids.delete(id)) ids.add(id);
  return { ...selection, [kind]: ids };
}
