import type { ComponentChildren } from "preact";
import type { QueryHookResult } from "../query.tsx";

type EyebrowProps<Value> = { of: QueryHookResult<Value>; children: (value: Value) => ComponentChildren };

/** The line above the heading. A failed read leaves it blank: the rest of the screen shows the error. */
export function EyebrowFromQuery<Value>({ of: { value, error }, children }: EyebrowProps<Value>) {
  if (value === undefined) return <p class="eyebrow">{error === undefined ? "…" : "\u00a0"}</p>;
  return <>{children(value)}</>;
}
