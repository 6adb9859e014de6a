import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type TurnsProps = {
  /** Changes whenever other lines are shown. */
  of: unknown;
  /** Whether new lines are appended to the ones shown. */
  adds?: boolean;
  children: ComponentChildren;
};

/**
 * The paging buttons below a list. After loading, focus moves to the first new row, because the button may
 * have disappeared.
 */
export function PagingButtonRow({ of, adds = false, children }: TurnsProps) {
  const row = useRef<HTMLDivElement>(null);
  const [pressed, setPressed] = useState<{ of: unknown; at: number }>();
  const isWaiting = pressed !== undefined && pressed.of === of;
  const note = (event: Event) => {
    if (event.target !== row.current) setPressed({ of, at: adds ? linesAbove(row.current).length : 0 });
  };
  useLayoutEffect(() => {
    if (!pressed || pressed.of === of) return;
    setPressed(undefined);
    const { activeElement } = document;
    // Keep the focus if the user moved it while the page loaded.
    if (activeElement !== document.body && !row.current?.contains(activeElement)) return;
    const line = linesAbove(row.current)[pressed.at];
    if (!line) return;
    line.tabIndex = -1;
    line.focus();
  }, [of, pressed]);
  return (
    // In the capture phase, since a button's own handler may render immediately.
    <div class="row turns" ref={row} onClickCapture={note} aria-busy={isWaiting}>
      {children}
    </div>
  );
}

function linesAbove(row: HTMLElement | null): HTMLElement[] {
  const list = row?.previousElementSibling;
  if (!list) return [];
  const lines = list.matches("ul, ol") ? list.children : list.querySelectorAll("tbody > tr");
  return [...lines].filter((line) => line instanceof HTMLElement);
}
