import type { ComponentChildren } from "preact";
import { LazyDisclosure } from "./lazy-disclosure.tsx";

type DisclosureProps = { label: string; isOpen?: boolean; children: () => ComponentChildren };

export const LazyDisclosureCard = ({ label, isOpen = false, children }: DisclosureProps) => (
  <section class="card" aria-label={label}>
    <LazyDisclosure label={label} isOpen={isOpen}>
      {children}
    </LazyDisclosure>
  </section>
);
