import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** What stays in sight while a conversation grows: its end, the beginning of its last answer, the message that it was opened for, or where its reader is. */
type Held = "end" | "answer" | "found" | "reader";

type Growing = {
  /** Where a conversation begins to be read: at its top, at its last answer, or at the message that it was opened for. */
  opensAt: "top" | "answer" | "found";
  /** What its reader sent just now, whose answer they want to see. */
  sent: string | undefined;
  isReceiving: boolean;
  /** The answer that was sent at once, as the class heard it before; undefined while the last one is another. */
  replayed: number | undefined;
};

/**
 * Scrolls a conversation as it grows, and never its reader: the end is followed while they are at the end, and an answer
 * that comes at once is shown from its beginning. `list` scrolls, and `content` in it grows.
 */
export function useFollowing({ opensAt, sent, isReceiving, replayed }: Growing) {
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

  // Markup and fonts come a moment after the words.
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

  // The button that leads to the end appears over what may have the focus.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (hasMore && focused?.matches("a, button") && list.current?.contains(focused))
      focused.scrollIntoView({ block: "nearest" });
  }, [hasMore]);

  const onScroll = () => {
    const element = list.current;
    if (!element || Math.abs(element.scrollTop - settled.current.top) < 1) return;
    // What becomes shorter, as words do that become markup, moves the list by itself.
    if (element.scrollHeight < settled.current.height && below(element) < 1) return settle();
    const isAtEnd = element.scrollTop > settled.current.top && below(element) <= aLine;
    held.current = isAtEnd ? "end" : "reader";
    look(element);
  };

  /** Whoever goes by the keyboard to what can be pressed in it reads there: it stays in sight. */
  const onFocusIn = ({ target }: Event) => {
    if (target instanceof Element && target.matches("a, button")) held.current = "reader";
  };

  return { list, content, onScroll, onFocusIn, hasMore, settle, toEnd: () => hold("end") };
}

const aLine = 24;

const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight;

const topOf = (element: Element): number => element.getBoundingClientRect().top;
