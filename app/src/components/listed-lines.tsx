import { type ComponentChildren, Fragment, type VNode } from "preact";
import { Listed, type Paged } from "./paged.tsx";

type ListedLinesProps<Line> = {
  of: Paged<Line>;
  /** What stands where there is nothing: why, and what to do. */
  empty: ComponentChildren;
  /** Draws a line, as an `li`. */
  children: (line: Line) => VNode;
  class?: string;
};

/** A list that is read a page at a time, each of its lines under the one before. */
export const ListedLines = <Line extends { id: number }>({
  of,
  empty,
  children,
  class: look = "lines",
}: ListedLinesProps<Line>) => (
  <Listed of={of} empty={empty}>
    {(found) => (
      <ul class={look}>
        {found.map((one) => (
          <Fragment key={one.id}>{children(one)}</Fragment>
        ))}
      </ul>
    )}
  </Listed>
);
