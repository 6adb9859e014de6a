import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type OnOpeningProps = {
  label: ComponentChildren;
  isOpen?: boolean;
  children: () => ComponentChildren;
};

/** Content that mounts, and so loads, on first opening. */
export function LazyDisclosure({ label, isOpen = false, children }: OnOpeningProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  const [opensAtFirst] = useState(isOpen);
  return (
    <details open={opensAtFirst} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{label}</summary>
      {wasOpened && children()}
    </details>
  );
}
