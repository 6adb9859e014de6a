import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts.ts";
import { LabeledSelect } from "./labeled-select.tsx";
import { OfferingTabLayout } from "./offering-tab-layout.tsx";
import { PagedList, type SkipAndLimit, usePagedQuery } from "./paged.tsx";

type ListedByStateProps<State extends string, Line> = {
  course: string;
  offering: string;
  part: string;
  title: string;
  label: string;
  states: readonly (readonly [State, string])[];
  first: State;
  read: (state: State, part: SkipAndLimit, signal: AbortSignal) => Promise<Line[]>;
  empty: (state: State) => string;
  /** Content above the list. It may refresh the list. */
  above?: (again: () => void) => ComponentChildren;
  /** Further filters, and their values as query keys. */
  filters?: ComponentChildren;
  keys?: readonly unknown[];
  children: (lines: Line[], again: () => void) => ComponentChildren;
};

/** The states, preceded by "all". */
export const stateFilterOptions = <State extends string>(
  states: readonly State[],
  wordsOf: (state: State) => string,
) => [["", t("submissions.all")], ...states.map((state) => [state, wordsOf(state)] as const)] as const;

/** A staff list of an offering, filtered by state. */
export function OfferingTabFilteredByState<State extends string, Line>({
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
  const lines = usePagedQuery((page, signal) => read(state, page, signal), [offering, state, ...keys]);
  return (
    <OfferingTabLayout course={course} offering={offering} side="teaching" part={part} title={title}>
      {above?.(lines.query.again)}
      <div class="filters">
        <LabeledSelect label={label} value={state} options={states} onChoose={choose} />
        {filters}
      </div>
      <PagedList of={lines} empty={empty(state)}>
        {(found) => children(found, lines.query.again)}
      </PagedList>
    </OfferingTabLayout>
  );
}
