import type { ComponentChildren } from "preact";
import { OnOpening } from "./on-opening.tsx";

type FoldedCardProps = { label: string; children: () => ComponentChildren };

/** A card for what is seldom done on a screen; closed at first. */
export const FoldedCard = ({ label, children }: FoldedCardProps) => (
  <section class="card" aria-label={label}>
    <OnOpening label={label}>{children}</OnOpening>
  </section>
);
