import { useEffect, useState } from "preact/hooks";

type ProseProps = { source: string; lang?: string | undefined };

/** A text with markdown and formulas. Until their code is loaded it stands as it was written. */
export function Prose({ source, lang }: ProseProps) {
  const html = useMarkup(source, async () => (await import("./markup.ts")).markupOf(source));
  if (html === undefined)
    return (
      <div class="prose plain" lang={lang}>
        {source}
      </div>
    );
  // It comes from the sanitiser, and the page takes no other.
  return <div class="prose" lang={lang} dangerouslySetInnerHTML={{ __html: html }} />;
}

export function Formula({ latex }: { latex: string }) {
  const html = useMarkup(latex, async () => (await import("./markup.ts")).formulaMarkup(latex));
  if (html === undefined) return <code class="formula">{latex}</code>;
  // It comes from the sanitiser, and the page takes no other.
  return <div class="formula" dangerouslySetInnerHTML={{ __html: html }} />;
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
