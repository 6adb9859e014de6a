import type { ComponentChildren } from "preact";

export const EmptyMessage = ({ children }: { children: ComponentChildren }) => (
  <div class="empty">{children}</div>
);
