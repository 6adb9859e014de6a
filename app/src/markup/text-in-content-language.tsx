import type { ComponentChildren } from "preact";
import type { InterpolationValues } from "../interpolate.ts";
import { type TextKey, t } from "../texts.ts";
import { useContentLanguage } from "./content-language.ts";

type Language = string | null | undefined;

type WrittenProps = {
  /** The course's language. Default: that of the surrounding content. */
  lang?: Language;
  children: ComponentChildren;
};

/** Authored text, such as a title, on a screen that may be in another language. */
export function TextInContentLanguage({ lang, children }: WrittenProps) {
  const around = useContentLanguage();
  return <span lang={lang ?? around}>{children}</span>;
}

/** Placeholder for the title while the sentence is translated: a private-use character. */
const mark = "\u{E000}";

export type TranslatedSentenceWithTitleProps = {
  text: TextKey;
  title: string;
  lang?: Language;
  values?: InterpolationValues;
};

/** A translated sentence whose `{title}` is authored text. */
export function TranslatedSentenceWithTitle({
  text,
  title,
  lang,
  values = {},
}: TranslatedSentenceWithTitleProps) {
  const [before, ...after] = t(text, { ...values, title: mark }).split(mark);
  if (after.length === 0) return <>{before}</>;
  return (
    // One flex item, for example in a button.
    <span>
      {before}
      <TextInContentLanguage lang={lang}>{title}</TextInContentLanguage>
      {after.join(title)}
    </span>
  );
}
