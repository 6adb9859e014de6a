import type { ComponentChildren } from "preact";

/** An outline of 24 by 24 units in the color of the text. SVG, since not every system font has such symbols. */
export const StrokedIcon = ({ children }: { children: ComponentChildren }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);
