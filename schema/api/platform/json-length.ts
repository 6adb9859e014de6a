/**
 * The length of a value in PostgreSQL's text form, in bytes. PostgreSQL writes out all digits of exponents,
 * so `1e300` counts 301, even within a text.
 */
export function writtenLength(value: unknown): number {
  const text = JSON.stringify(value);
  let length = utf8Length(text);
  for (const [, zeros] of text.matchAll(/\de[+-]?(\d{1,3})/g)) length += Number(zeros);
  return length;
}

const encoder = new TextEncoder();

const utf8Length = (text: string): number => encoder.encode(text).length;
