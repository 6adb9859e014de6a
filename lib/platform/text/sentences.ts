/** A message template: its start, and each placeholder with the text after it. */
export type MessageTemplate = { start: string; values: readonly { name: string; end: string }[] };

export function templateOf(words: string): MessageTemplate {
  const [start = "", ...others] = words.split(/\{(\w{1,32})\}/);
  const names = others.filter((_, at) => at % 2 === 0);
  return { start, values: names.map((name, at) => ({ name, end: others[2 * at + 1] ?? "" })) };
}

/**
 * True if a text matches the template with values that fit. A value ends at the first occurrence of the next
 * text; the last one ends with the message.
 */
export function matchesTemplate(
  { start, values }: MessageTemplate,
  text: string,
  fits: (name: string, value: string) => boolean = () => true,
): boolean {
  if (!text.startsWith(start)) return false;
  let at = start.length;
  for (const [nth, { name, end }] of values.entries()) {
    const until = nth === values.length - 1 ? text.length - end.length : text.indexOf(end, at);
    if (until < at || !text.startsWith(end, until) || !fits(name, text.slice(at, until))) return false;
    at = until + end.length;
  }
  return at === text.length;
}
