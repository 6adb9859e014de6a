/** Inline SVG, since not every system font has these symbols. */
const strokes = {
  fill: "none",
  stroke: "currentColor",
  "stroke-width": 2,
  "stroke-linejoin": "round",
} as const;

export const ThumbIcon = ({ isDown = false }: { isDown?: boolean }) => (
  <svg
    class={isDown ? "icon turned" : "icon"}
    viewBox="0 0 24 24"
    width="18"
    height="18"
    aria-hidden="true"
    {...strokes}
  >
    <path d="M7 11v9H4v-9zm0 0 4-8c1.700 0 3 1.300 3 3v3.500h4.500a2 2 0 0 1 2 2.400l-1.300 6.500a2 2 0 0 1-2 1.600H7" />
  </svg>
);

export const PadlockIcon = () => (
  <svg class="icon" viewBox="0 0 24 24" width="14" height="14" aria-hidden="true" {...strokes}>
    <path d="M5 11h14v9H5zm3 0V8a4 4 0 0 1 8 0v3" />
  </svg>
);
