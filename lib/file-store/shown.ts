/** What a browser may show in its place: nothing of it runs as a page. Of text no other type is ever said. */
const safeToShow = [
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/apng"],
  "application/pdf",
  "text/plain",
];

/** Whether a file of that type may be shown by a browser where it asks for it: pictures but SVG, PDF, sound, films, text. */
export const isSafeToShow = (mediaType: string): boolean =>
  safeToShow.includes(essenceOf(mediaType)) || /^(audio|video)\/[\w.+-]+$/.test(essenceOf(mediaType));

/** What a browser would run, or take for a page, if it were told its type. */
const runs =
  /^(text\/(html|xml|xsl|javascript|ecmascript|cache-manifest)|image\/svg)|\+xml$|[/+](xml|javascript|ecmascript|xhtml|wasm)\b/;

/** The type that is said of a file when it is read. */
export function servedType(mediaType: string): string {
  const essence = essenceOf(mediaType);
  if (essence === "text/plain") return "text/plain; charset=utf-8";
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) && !runs.test(essence) ? essence : "application/octet-stream";
}

const essenceOf = (mediaType: string): string => (mediaType.split(";")[0] ?? "").trim().toLowerCase();
