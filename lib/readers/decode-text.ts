/** The text of a file, without a byte order mark: UTF-8, or UTF-16 where it begins by saying so; `isCut` may be its last sign. */
export function decodeText(bytes: Uint8Array, { isCut = false } = {}): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  const encoding = { fffe: "utf-16le", feff: "utf-16be" }[mark] ?? "utf-8";
  return new TextDecoder(encoding).decode(bytes, { stream: isCut });
}
