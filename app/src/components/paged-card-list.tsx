import type { ComponentChildren } from "preact";
import type { PagedQuery } from "./paged.tsx";
import { PagedLineList } from "./paged-line-list.tsx";

type ListedCardsProps<Line> = {
  of: PagedQuery<Line>;
  empty: ComponentChildren;
  children: (line: Line) => ComponentChildren;
};

export const PagedCardList = <Line extends { id: number }>({
  of,
  empty,
  children,
}: ListedCardsProps<Line>) => (
  <PagedLineList of={of} empty={empty} class="stack">
    {(one) => <li class="card">{children(one)}</li>}
  </PagedLineList>
);
