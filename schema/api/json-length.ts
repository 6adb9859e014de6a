/**
 * How many bytes PostgreSQL writes a JSON value with: a number with an exponent has all of its digits there, so
 * that `1e300` counts 301. What looks like one within a text counts as well.
 */
export function writtenLength(value: unknown): number {
  const text = JSON.stringify(value);
  let length = utf8Length(text);
  for (const [, zeros] of text.matchAll(/\de[+-]?(\d{1,3})/g)) length += Number(zeros);
  return length;
}

const encoder = new TextEncoder();

const utf8Length = (text: string): number => encoder.encode(text).length;
