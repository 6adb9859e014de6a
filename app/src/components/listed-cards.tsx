import type { ComponentChildren } from "preact";
import { ListedLines } from "./listed-lines.tsx";
import type { Paged } from "./paged.tsx";

type ListedCardsProps<Line> = {
  of: Paged<Line>;
  empty: ComponentChildren;
  children: (line: Line) => ComponentChildren;
};

export const ListedCards = <Line extends { id: number }>({ of, empty, children }: ListedCardsProps<Line>) => (
  <ListedLines of={of} empty={empty} class="stack">
    {(one) => <li class="card">{children(one)}</li>}
  </ListedLines>
);
