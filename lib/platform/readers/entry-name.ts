/** The upper half of code page 437, in which programs of MS-DOS named files. */
const upperHalf =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
  "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const isUtf8Flag = 0x800;

const unicodePath = 0x7075;

/**
 * UTF-8 with the flag, an Info-ZIP Unicode path, or code page 437. Some programs write UTF-8 without the
 * flag.
 */
export function decodeEntryName(bytes: Uint8Array, flags: number, extra: Uint8Array): string {
  const unflagged = (flags & isUtf8Flag) === 0 ? unicodePathIn(extra) : undefined;
  return utf8(unflagged ?? bytes) ?? fromCodePage437(bytes);
}

/** With slashes, also from programs of Windows, and without `./`. */
export const decodeEntryPath = (bytes: Uint8Array, flags: number, extra: Uint8Array): string =>
  decodeEntryName(bytes, flags, extra)
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "");

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const fromCodePage437 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upperHalf[byte - 0x80])).join("");

/** Its first five bytes are a version and a checksum. */
function unicodePathIn(extra: Uint8Array): Uint8Array | undefined {
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= view.length; at += 4 + view.readUInt16LE(at + 2))
    if (view.readUInt16LE(at) === unicodePath)
      return view.subarray(at + 9, at + 4 + view.readUInt16LE(at + 2));
  return undefined;
}
