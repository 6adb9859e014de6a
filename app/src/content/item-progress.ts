import type { Schemas } from "learning-platform-client";

/** How someone who is enrolled stands with a content item. */
export type ItemProgress = {
  line: Schemas["OutlineItem"] | undefined;
  /** Called when the service knows of new progress. */
  onChange: () => void;
};
