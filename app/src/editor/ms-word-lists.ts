type Item = { level: number; isOrdered: boolean; paragraph: HTMLElement };

/** Word's list items are paragraphs, with their level in the style and their bullet as text. */
function wordItemOf(paragraph: HTMLElement): Item | undefined {
  const [, level] = /mso-list:[^;]*\blevel(\d)/i.exec(paragraph.dataset["style"] ?? "") ?? [];
  if (!level) return undefined;
  const bullets = [...paragraph.querySelectorAll<HTMLElement>("[data-style]")].filter((span) =>
    /mso-list:\s*ignore/i.test(span.dataset["style"] ?? ""),
  );
  const bullet = bullets.map(({ textContent }) => textContent).join("");
  for (const one of bullets) one.remove();
  return { level: Number(level), isOrdered: /^\s*\(?[\da-z]+[.)]/i.test(bullet), paragraph };
}

/** Replaces Word's list paragraphs with nested lists. */
export function convertMsWordLists(body: HTMLElement): void {
  /** The open lists, outermost first. */
  let open: { level: number; list: HTMLElement }[] = [];
  let last: Element | undefined;
  for (const paragraph of body.querySelectorAll<HTMLElement>("p, h1, h2, h3, h4, h5, h6, div")) {
    const item = wordItemOf(paragraph);
    if (!item) continue;
    if (last !== paragraph.previousElementSibling) open = [];
    while ((open.at(-1)?.level ?? 0) > item.level) open.pop();
    let current = open.at(-1);
    const line = body.ownerDocument.createElement("li");
    if (!current || current.level < item.level) {
      const list = body.ownerDocument.createElement(item.isOrdered ? "ol" : "ul");
      const around = current?.list.lastElementChild;
      if (around) around.append(list);
      else paragraph.before(list);
      current = { level: item.level, list };
      open.push(current);
    }
    line.append(...paragraph.childNodes);
    current.list.append(line);
    paragraph.remove();
    last = open[0]?.list;
  }
}
