import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { loadUploadedPicturesIn } from "../files/load-uploaded-pictures.ts";
import { useContentLanguage } from "./content-language.ts";
import { linkCitations } from "./link-citations.ts";
import { makeWidePartsScrollable } from "./wide-parts.ts";

type ProseProps = {
  source: string;
  /** Default: the language of the surrounding content. Empty if unknown. */
  lang?: string | undefined;
  /** Staff wrote the text, so external pictures are allowed. Otherwise a picture could track the reader. */
  byStaff?: boolean;
  /** Keep line breaks of text from an input field, which Markdown would join. */
  inLines?: boolean;
  marks?: ReadonlyMap<string, string> | undefined;
};

/** The last result, reused when a finished answer moves to another component. */
let newest: { source: string; byStaff: boolean; html: string } | undefined;

/**
 * Markdown with formulas. Shows plain text until the renderer is loaded. Pictures render only in staff's
 * text, elsewhere they become links.
 */
export function MarkdownWithFormulas({
  source,
  lang = useContentLanguage(),
  byStaff = false,
  inLines = false,
  marks,
}: ProseProps) {
  const make = async () => {
    const html = await (await import("./markup.ts")).renderMarkdown(source, byStaff);
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

export function FormulaView({ latex }: { latex: string }) {
  const html = useMarkup(latex, async () => (await import("./markup.ts")).renderDisplayFormula(latex));
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
  // Wide parts are looked up after each change of the markup.
  useLayoutEffect(() => (box.current ? makeWidePartsScrollable(box.current) : undefined), [html]);
  useLayoutEffect(() => (box.current ? loadUploadedPicturesIn(box.current) : undefined), [html]);
  useLayoutEffect(() => {
    if (box.current && marks) linkCitations(box.current, marks);
  }, [html, marks]);
  // Sanitized. Trusted Types allow nothing else.
  return <div ref={box} {...attributes} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The last markup stays while the next one renders, since streamed answers grow word by word. */
function useMarkup(source: string, make: () => Promise<string>): string | undefined {
  const [html, setHtml] = useState<string>();
  // The markup depends only on the source.
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
