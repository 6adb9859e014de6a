import { type ComponentChildren, Fragment, type VNode } from "preact";
import { type Paged, PagedList } from "./paged.tsx";

type ListedLinesProps<Line> = {
  of: Paged<Line>;
  /** Empty state: explanation and next step. */
  empty: ComponentChildren;
  /** Renders a line as an `li`. */
  children: (line: Line) => VNode;
  class?: string;
};

export const ListedLines = <Line extends { id: number }>({
  of,
  empty,
  children,
  class: look = "lines",
}: ListedLinesProps<Line>) => (
  <PagedList of={of} empty={empty}>
    {(found) => (
      <ul class={look}>
        {found.map((one) => (
          <Fragment key={one.id}>{children(one)}</Fragment>
        ))}
      </ul>
    )}
  </PagedList>
);
