import type { ComponentChildren } from "preact";
import type { Values } from "../interpolate.ts";
import { type Text, t } from "../texts.ts";
import { useContentLanguage } from "./content-language.ts";

type Language = string | null | undefined;

type WrittenProps = {
  /** That of their course; by default that of the content around them. */
  lang?: Language;
  children: ComponentChildren;
};

/** Words of authors, such as a title, on a screen that is in another language perhaps. */
export function Written({ lang, children }: WrittenProps) {
  const around = useContentLanguage();
  return <span lang={lang ?? around}>{children}</span>;
}

/** Stands for them in a sentence until it is whole: nobody types it. */
const mark = "\u{E000}";

export type AroundProps = { text: Text; title: string; lang?: Language; values?: Values };

/** A sentence of the application, whose `{title}` authors wrote. */
export function Around({ text, title, lang, values = {} }: AroundProps) {
  const [before, ...after] = t(text, { ...values, title: mark }).split(mark);
  if (after.length === 0) return <>{before}</>;
  return (
    // One thing to whatever lays it out, such as a button.
    <span>
      {before}
      <Written lang={lang}>{title}</Written>
      {after.join(title)}
    </span>
  );
}
