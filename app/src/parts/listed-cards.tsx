import type { ComponentChildren } from "preact";
import { Listed, type Paged } from "./paged.tsx";

type ListedCardsProps<Line> = {
  of: Paged<Line>;
  /** What stands where there is nothing: why, and what to do. */
  empty: ComponentChildren;
  /** Draws what is in a card. */
  children: (line: Line) => ComponentChildren;
};

/** A list that is read a page at a time, each of its lines in a card. */
export const ListedCards = <Line extends { id: number }>({ of, empty, children }: ListedCardsProps<Line>) => (
  <Listed of={of} empty={empty}>
    {(found) => (
      <ul class="stack">
        {found.map((one) => (
          <li key={one.id} class="card">
            {children(one)}
          </li>
        ))}
      </ul>
    )}
  </Listed>
);
