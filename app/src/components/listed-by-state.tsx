import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts.ts";
import { Choice } from "./choice.tsx";
import { OfferingScreen } from "./offering-screen.tsx";
import { Listed, type Part, usePaged } from "./paged.tsx";

type ListedByStateProps<State extends string, Line> = {
  course: string;
  offering: string;
  /** Which of the offering's parts this is. */
  part: string;
  title: string;
  /** What is chosen, in words. */
  label: string;
  states: readonly (readonly [State, string])[];
  /** The state that is shown at first. */
  first: State;
  read: (state: State, part: Part, signal: AbortSignal) => Promise<Line[]>;
  /** What stands where nothing is in that state. */
  empty: (state: State) => string;
  /** What stands above the list, and may change it. */
  above?: (again: () => void) => ComponentChildren;
  /** What narrows the list down beside the state, and what was chosen there. */
  filters?: ComponentChildren;
  keys?: readonly unknown[];
  children: (lines: Line[], again: () => void) => ComponentChildren;
};

/** States to choose from, and all of them at once. */
export const allOr = <State extends string>(states: readonly State[], wordsOf: (state: State) => string) =>
  [["", t("submissions.all")], ...states.map((state) => [state, wordsOf(state)] as const)] as const;

/** A list of an offering for those who teach it, of which one state is shown at a time. */
export function ListedByState<State extends string, Line>({
  course,
  offering,
  part,
  title,
  label,
  states,
  first,
  read,
  empty,
  above,
  filters,
  keys = [],
  children,
}: ListedByStateProps<State, Line>) {
  const [state, choose] = useState(first);
  const lines = usePaged((page, signal) => read(state, page, signal), [offering, state, ...keys]);
  return (
    <OfferingScreen course={course} offering={offering} side="teaching" part={part} title={title}>
      {above?.(lines.query.again)}
      <div class="filters">
        <Choice label={label} value={state} options={states} onChoose={choose} />
        {filters}
      </div>
      <Listed of={lines} empty={empty(state)}>
        {(found) => children(found, lines.query.again)}
      </Listed>
    </OfferingScreen>
  );
}
