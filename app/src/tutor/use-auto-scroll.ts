import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * The part to keep in view while a conversation grows: the end, the start of the last answer, the linked
 * message, or the reader's position.
 */
type Held = "end" | "answer" | "found" | "reader";

type Growing = {
  opensAt: "top" | "answer" | "found";
  /** The message that was just sent. Its answer is scrolled into view. */
  sent: string | undefined;
  isReceiving: boolean;
  /** The id of an answer that came complete from the cache; undefined if the last one was streamed. */
  replayed: number | undefined;
};

/**
 * Scrolls a growing conversation without moving the reader. It follows the end while the reader is there, and
 * shows a cached answer from its start. `list` scrolls, `content` grows.
 */
export function useAutoScroll({ opensAt, sent, isReceiving, replayed }: Growing) {
  const list = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const held = useRef<Held>(opensAt === "top" ? "reader" : opensAt);
  const settled = useRef({ top: 0, height: 0 });
  const [hasMore, setHasMore] = useState(false);

  const look = (element: HTMLElement) => {
    settled.current = { top: element.scrollTop, height: element.scrollHeight };
    setHasMore(below(element) > aLine);
  };
  const settle = () => {
    const element = list.current;
    if (!element) return;
    const beginning = { answer: ".answer:last-of-type", found: "[data-cited]", end: "", reader: "" }[
      held.current
    ];
    const message = beginning ? element.querySelector(beginning) : undefined;
    if (held.current === "end") element.scrollTop = element.scrollHeight;
    else if (message) element.scrollTop += topOf(message) - topOf(element);
    look(element);
  };
  const hold = (what: Held) => {
    held.current = what;
    settle();
  };

  // Markup and fonts load after the text.
  useEffect(() => {
    const observer = new ResizeObserver(settle);
    for (const { current } of [list, content]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (sent !== undefined) hold("end");
  }, [sent]);
  useLayoutEffect(() => {
    if (isReceiving && held.current !== "reader" && held.current !== "found") hold("end");
  }, [isReceiving]);
  useLayoutEffect(() => {
    if (replayed !== undefined && held.current === "end") hold("answer");
  }, [replayed]);

  // The button to the end may cover the focused element.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (hasMore && focused?.matches("a, button") && list.current?.contains(focused))
      focused.scrollIntoView({ block: "nearest" });
  }, [hasMore]);

  const onScroll = () => {
    const element = list.current;
    if (!element || Math.abs(element.scrollTop - settled.current.top) < 1) return;
    // Content that shrinks, as text does when its markup is rendered, causes a scroll event.
    if (element.scrollHeight < settled.current.height && below(element) < 1) return settle();
    const isAtEnd = element.scrollTop > settled.current.top && below(element) <= aLine;
    held.current = isAtEnd ? "end" : "reader";
    look(element);
  };

  /** Keyboard focus on a link or button counts as the reading position. */
  const onFocusIn = ({ target }: Event) => {
    if (target instanceof Element && target.matches("a, button")) held.current = "reader";
  };

  return { list, content, onScroll, onFocusIn, hasMore, settle, toEnd: () => hold("end") };
}

const aLine = 24;

const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight;

const topOf = (element: Element): number => element.getBoundingClientRect().top;
