import type { ComponentProps } from "preact";
import { useFocusFallback } from "./focus-fallback.ts";

/** A button that may disappear when pressed. It passes the focus on. */
export const ButtonWithFocusFallback = (props: Omit<ComponentProps<"button">, "ref" | "type">) => (
  <button type="button" ref={useFocusFallback<HTMLButtonElement>()} {...props} />
);
