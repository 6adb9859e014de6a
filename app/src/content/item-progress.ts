import type { Schemas } from "learning-platform-client";

export type ItemProgress = {
  line: Schemas["OutlineItem"] | undefined;
  onChange: () => void;
};
