import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { takesFocus } from "../router.ts";
import { platformName } from "../service.ts";

/** The screen's one first heading: it names the page, and takes the focus when people come from another screen. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${platformName}`;
  }, [title]);
  useEffect(() => {
    if (takesFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="heading">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  );
}
