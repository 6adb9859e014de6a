import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { consumePendingFocusMove } from "../router.ts";
import { platformName } from "../service.ts";

type HeadingProps = {
  title: string;
  /** Set if the title may be in another language than the screen. */
  lang?: string | undefined;
  children?: ComponentChildren;
};

/** The screen's `h1`. Sets the page title and takes the focus after navigation. */
export function ScreenHeading({ title, lang, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${platformName}`;
  }, [title]);
  // In a layout effect: a later focus change would interrupt typing.
  useLayoutEffect(() => {
    if (consumePendingFocusMove()) heading.current?.focus({ preventScroll: true });
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
