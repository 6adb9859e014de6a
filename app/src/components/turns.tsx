import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type TurnsProps = {
  /** What is drawn of the list: another value as soon as other lines of it are there. */
  of: unknown;
  /** Whether the lines that are there already stay, above those that come. */
  adds?: boolean;
  children: ComponentChildren;
};

/**
 * The buttons right below a list or a table that bring further lines of it, or others. Whoever has pressed one of them goes on
 * at the first line that came: it takes the focus, which the button may take away with it.
 */
export function Turns({ of, adds = false, children }: TurnsProps) {
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
    // Whoever went elsewhere meanwhile stays there.
    if (activeElement !== document.body && !row.current?.contains(activeElement)) return;
    const line = linesAbove(row.current)[pressed.at];
    if (!line) return;
    line.tabIndex = -1;
    line.focus();
  }, [of, pressed]);
  return (
    // It hears of its buttons before they do what they are there for: that may be drawn at once.
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
