import { StrokedIcon } from "../components/stroked-icon.tsx";

const paths = {
  bullets: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  numbers: "M10 6h10M10 12h10M10 18h10M4 4h1v5M4 14h2.500L4 19h2.500",
  quote: "M5 7h5v5c0 3-1.500 4-4 5M14 7h5v5c0 3-1.500 4-4 5",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.500 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  table: "M4 5h16v14H4zM4 10h16M4 15h16M10 5v14",
  picture: "M4 5h16v14H4zM4 17l5-5 4 4 3-3 4 4M15 9h.01",
  undo: "M9 14 4 9l5-5M4 9h10a5 5 0 0 1 0 10h-3",
  redo: "m15 14 5-5-5-5M20 9H10a5 5 0 0 0 0 10h3",
} as const;

export const EditorIcon = ({ of }: { of: keyof typeof paths }) => (
  <StrokedIcon>
    <path d={paths[of]} />
  </StrokedIcon>
);
