import { createContext } from "preact";

export type Selection = { modules: ReadonlySet<number>; items: ReadonlySet<number> };

export const nothing: Selection = { modules: new Set(), items: new Set() };

export type Selecting = {
  /** What is ticked, where things can be. */
  chosen?: Selection;
  turn(kind: keyof Selection, id: number): void;
  /** Counts how often much was changed at once: what was read before is not as it was. */
  round: number;
};

/** What an author has ticked of a course's outline. */
export const SelectionContext = createContext<Selecting>({ turn: () => {}, round: 0 });

/** With one more, or without it. */
export function turned(selection: Selection, kind: keyof Selection, id: number): Selection {
  const ids = new Set(selection[kind]);
  if (!ids.delete(id)) ids.add(id);
  return { ...selection, [kind]: ids };
}
