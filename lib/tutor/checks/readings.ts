/** Longer texts are not decoded: no learner would read so much to find a secret. */
const maxDecodedTextCharacters = 100_000;

/** The text plus its decodings: reversed, spelled out, ROT13, Base64 and hexadecimal. */
export function withDecodings(text: string): string[] {
  if (text.length > maxDecodedTextCharacters) return [text];
  const disguised = [backwards(text), rot13(text), spelledOut(text), fromBase64(text), fromHex(text)];
  return [text, ...new Set(disguised.filter((reading) => reading !== "" && reading !== text))];
}

const backwards = (text: string): string => [...text].reverse().join("");

const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });

/** "T-h-e a-n-s-w-e-r" and "T h e a n s w e r": single letters between equal separators form a word. */
function spelledOut(text: string): string {
  if (!/\p{L}([ \-_.·*])\p{L}\1\p{L}\b/u.test(text)) return "";
  return text
    .replaceAll(/(?<![\p{L}\p{N}])\p{L}(?:([-_.·*])\p{L})(?:\1\p{L})*(?![\p{L}\p{N}])/gu, (word) =>
      word.replaceAll(/[-_.·*]/g, ""),
    )
    .replaceAll(/(?<![\p{L}\p{N}])\p{L}(?: \p{L}){2,}(?![\p{L}\p{N}])/gu, (word) => word.replaceAll(" ", ""));
}

const fromBase64 = (text: string): string =>
  (text.match(/[A-Za-z0-9+/]{12,}={0,2}/g) ?? [])
    .map((token) => readable(Buffer.from(token, "base64")))
    .join(" ")
    .trim();

const fromHex = (text: string): string =>
  (text.match(/\b(?:[0-9a-f]{2}[\s,]*){6,}/gi) ?? [])
    .map((token) => readable(Buffer.from(token.replaceAll(/[\s,]/g, ""), "hex")))
    .join(" ")
    .trim();

function readable(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\s]*$/u.test(text) ? text : "";
  } catch {
    return "";
  }
}
