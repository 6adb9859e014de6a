import { type ComponentChildren, Fragment, type VNode } from "preact";
import { PagedList, type PagedQuery } from "./paged.tsx";

type ListedLinesProps<Line> = {
  of: PagedQuery<Line>;
  /** Empty state: explanation and next step. */
  empty: ComponentChildren;
  /** Renders a line as an `li`. */
  children: (line: Line) => VNode;
  class?: string;
};

export const PagedLineList = <Line extends { id: number }>({
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
