import type { ComponentChildren } from "preact";
import type { Query } from "../query.tsx";

type EyebrowProps<Value> = { of: Query<Value>; children: (value: Value) => ComponentChildren };

/** What a screen is part of, in the line above its heading; where that cannot be read, the rest of the screen says so. */
export function Eyebrow<Value>({ of: { value, error }, children }: EyebrowProps<Value>) {
  if (value === undefined) return <p class="eyebrow">{error === undefined ? "…" : "\u00a0"}</p>;
  return <>{children(value)}</>;
}
