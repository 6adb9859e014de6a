/** How an answer cites a source in its words. */
const mark = /(\[§\d+\])/;

/**
 * Makes links of the marks by which an answer cites its sources, where they stand in its words and not in code or a formula. A mark
 * that is none of `links` stays what it is.
 */
export function linkMarks(box: HTMLElement, links: ReadonlyMap<string, string>): void {
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
