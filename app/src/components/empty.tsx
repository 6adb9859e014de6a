import type { ComponentChildren } from "preact";

/** What stands where there is nothing yet: why, and what could be done. */
export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>;
