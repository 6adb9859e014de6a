/** How an answer cites a source. */
const mark = /(\[§\d+\])/;

/** Turns citation marks into links, outside of code and formulas. Marks that `links` does not have stay text. */
export function linkCitations(box: HTMLElement, links: ReadonlyMap<string, string>): void {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (mark.test(text.data) && !text.parentElement?.closest("a, code, math")) found.push(text);
  }
  for (const text of found)
    text.replaceWith(
      ...text.data.split(mark).map((part) => {
        const href = links.get(part);
        if (href === undefined) return part;
        const link = document.createElement("a");
        link.href = href;
        link.textContent = part;
        return link;
      }),
    );
}
