import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type OnOpeningProps = { label: string; children: () => ComponentChildren };

/** Something that is drawn, and so read, when it is opened for the first time. */
export function OnOpening({ label, children }: OnOpeningProps) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{label}</summary>
      {wasOpened && children()}
    </details>
  );
}
