/** Nothing is created from a part. The message is the text of a code. */
export class RefusedPart extends Error {
  override name = "RefusedPart";
}
