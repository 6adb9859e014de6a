import type { ComponentProps } from "preact";
import { useFocusHandedOn } from "./keep-focus.ts";

/** A button that may vanish when it is pressed. */
export const Button = (props: Omit<ComponentProps<"button">, "ref" | "type">) => (
  <button type="button" ref={useFocusHandedOn<HTMLButtonElement>()} {...props} />
);
