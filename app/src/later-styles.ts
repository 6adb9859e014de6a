const adopted = new Set<string>();

/** Styles of a screen that is loaded when it is asked for, as the text of a file: they come with it, not with the page. */
export function adoptStyles(text: string): void {
  if (adopted.has(text)) return;
  adopted.add(text);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
