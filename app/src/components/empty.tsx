import type { ComponentChildren } from "preact";

/** Empty state: explanation and next step. */
export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>;
