import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { takesFocus } from "../router.ts";
import { platformName } from "../service.ts";

type HeadingProps = {
  title: string;
  /** Of a title that is in another language than the screen may be. */
  lang?: string | undefined;
  children?: ComponentChildren;
};

/** The screen's one first heading: it names the page, and takes the focus when people come from another screen. */
export function Heading({ title, lang, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${platformName}`;
  }, [title]);
  // Before anyone can go into a field of the screen: what they type then would be lost.
  useLayoutEffect(() => {
    if (takesFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="heading">
      <h1 ref={heading} tabIndex={-1} lang={lang}>
        {title}
      </h1>
      {children}
    </header>
  );
}
