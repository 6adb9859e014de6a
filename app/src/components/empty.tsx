import type { ComponentChildren } from "preact";

export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>;
