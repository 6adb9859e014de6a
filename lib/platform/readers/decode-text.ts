/**
 * Removes the byte order mark. UTF-16 if it has that mark, otherwise UTF-8. With `isCut`, the last character
 * may be incomplete.
 */
export function decodeText(bytes: Uint8Array, { isCut = false } = {}): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  const encoding = { fffe: "utf-16le", feff: "utf-16be" }[mark] ?? "utf-8";
  return new TextDecoder(encoding).decode(bytes, { stream: isCut });
}
