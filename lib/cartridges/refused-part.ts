/** Says why nothing comes of a part, in the words of a code. */
export class RefusedPart extends Error {
  override name = "RefusedPart";
}
