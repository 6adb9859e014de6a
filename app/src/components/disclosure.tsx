import type { ComponentChildren } from "preact";
import { OnOpening } from "./on-opening.tsx";

type DisclosureProps = { label: string; isOpen?: boolean; children: () => ComponentChildren };

export const Disclosure = ({ label, isOpen = false, children }: DisclosureProps) => (
  <section class="card" aria-label={label}>
    <OnOpening label={label} isOpen={isOpen}>
      {children}
    </OnOpening>
  </section>
);
