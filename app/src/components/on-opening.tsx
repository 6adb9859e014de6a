import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type OnOpeningProps = {
  label: ComponentChildren;
  /** Whether it is open at first. */
  isOpen?: boolean;
  children: () => ComponentChildren;
};

/** Something that is drawn, and so read, when it is opened for the first time. */
export function OnOpening({ label, isOpen = false, children }: OnOpeningProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  const [opensAtFirst] = useState(isOpen);
  return (
    <details open={opensAtFirst} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{label}</summary>
      {wasOpened && children()}
    </details>
  );
}
