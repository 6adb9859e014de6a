import type { Schemas } from "learning-platform-client";

export type OutlineItemWithOnChange = {
  line: Schemas["OutlineItem"] | undefined;
  onChange: () => void;
};
