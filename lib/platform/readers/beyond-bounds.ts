/** A limit, such as `should have at most 200 columns`. The reader adds the subject. */
export class BeyondBounds extends Error {
  override name = "BeyondBounds";

  constructor(most: number, what: string) {
    super(`should have at most ${most} ${what}`);
  }
}
