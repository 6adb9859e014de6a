/** The text of a file by its byte order mark, else as UTF-8 if that is valid, else as Windows-1252. */
export function decodeTextGuessingEncoding(bytes: Uint8Array<ArrayBuffer>): string {
  const mark = `${bytes[0]} ${bytes[1]}`;
  const encoding = mark === "255 254" ? "utf-16le" : mark === "254 255" ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
