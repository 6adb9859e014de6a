/** Why nothing is created from a part, as the text of a code. */
export class RefusedPart extends Error {
  override name = "RefusedPart";
}
