/** Elements without which a question asks something else; `matimage` is a picture in QTI 1.2. */
export const unomittableElementNames: ReadonlySet<string> = new Set([
  ...["img", "svg", "canvas", "object", "matimage"],
  ...["math", "audio", "video"],
]);
