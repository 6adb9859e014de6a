/** Types that a browser displays without running them. A text is always served as text/plain. */
const safeToShow = [
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/apng"],
  "application/pdf",
  "text/plain",
];

/** Pictures except SVG, PDF, audio, video and text may be displayed inline. */
export const isSafeToShow = (mediaType: string): boolean =>
  safeToShow.includes(essenceOf(mediaType)) || /^(audio|video)\/[\w.+-]+$/.test(essenceOf(mediaType));

/** Whether a question can show it as its picture. */
export const isDisplayablePicture = (mediaType: string): boolean =>
  essenceOf(mediaType).startsWith("image/") && isSafeToShow(mediaType);

/** Types that a browser would execute or render as a page. */
const runs =
  /^(text\/(html|xml|xsl|javascript|ecmascript|cache-manifest)|image\/svg)|\+xml$|[/+](xml|javascript|ecmascript|xhtml|wasm)\b/;

export function safeServedContentType(mediaType: string): string {
  const essence = essenceOf(mediaType);
  if (essence === "text/plain") return "text/plain; charset=utf-8";
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) && !runs.test(essence) ? essence : "application/octet-stream";
}

const essenceOf = (mediaType: string): string => (mediaType.split(";")[0] ?? "").trim().toLowerCase();
