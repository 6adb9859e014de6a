import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useContentLanguage } from "./content-language.ts";
import { linkMarks } from "./link-marks.ts";
import { scrollWideParts } from "./wide-parts.ts";

type ProseProps = {
  source: string;
  /** By default the language of the content around it; empty where nobody knows it. */
  lang?: string | undefined;
  /** The words are of the course's staff: a picture that is fetched from elsewhere tells whoever is there of the reader. */
  byStaff?: boolean;
  /** What people typed into a field, line by line: it stands in those lines, where markdown alone would join them. */
  inLines?: boolean;
  /** Where the marks lead by which the text cites its sources. */
  marks?: ReadonlyMap<string, string> | undefined;
};

/** An answer that was told is stored, and drawn by another component: it stands as it did. */
let newest: { source: string; byStaff: boolean; html: string } | undefined;

/**
 * A text with markdown and formulas. Until their code is loaded it stands as it was written. Pictures show in staff's words
 * alone; in all others, and in a tutor's, they are links.
 */
export function Prose({
  source,
  lang = useContentLanguage(),
  byStaff = false,
  inLines = false,
  marks,
}: ProseProps) {
  const make = async () => {
    const html = await (await import("./markup.ts")).markupOf(source, byStaff);
    newest = { source, byStaff, html };
    return html;
  };
  const html =
    useMarkup(source, make) ??
    (newest?.source === source && newest.byStaff === byStaff ? newest.html : undefined);
  if (html === undefined)
    return (
      <div class="prose plain" lang={lang}>
        {source}
      </div>
    );
  return <Markup class={inLines ? "prose lines" : "prose"} lang={lang} html={html} marks={marks} />;
}

export function Formula({ latex }: { latex: string }) {
  const html = useMarkup(latex, async () => (await import("./markup.ts")).formulaMarkup(latex));
  if (html === undefined) return <code class="formula">{latex}</code>;
  return <Markup class="prose formula" html={html} />;
}

type MarkupProps = {
  class: string;
  html: string;
  lang?: string | undefined;
  marks?: ReadonlyMap<string, string> | undefined;
};

function Markup({ html, marks, ...attributes }: MarkupProps) {
  const box = useRef<HTMLDivElement>(null);
  // What is wide is found in each new markup.
  useLayoutEffect(() => (box.current ? scrollWideParts(box.current) : undefined), [html]);
  useLayoutEffect(() => {
    if (box.current && marks) linkMarks(box.current, marks);
  }, [html, marks]);
  // It comes from the sanitiser, and the page takes no other.
  return <div ref={box} {...attributes} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** What was made of a source last, which stays while a longer one is being made: answers grow word by word. */
function useMarkup(source: string, make: () => Promise<string>): string | undefined {
  const [html, setHtml] = useState<string>();
  // The markup follows from the source.
  useEffect(() => {
    let isCurrent = true;
    make().then(
      (made) => isCurrent && setHtml(() => made),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [source]);
  return html;
}
