import type { Schemas } from "learning-platform-client";

/** A learner's progress in a content item. */
export type ItemProgress = {
  line: Schemas["OutlineItem"] | undefined;
  /** Called when progress was recorded. */
  onChange: () => void;
};
