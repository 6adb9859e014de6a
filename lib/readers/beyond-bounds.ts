/** What is read has more than it may have: `should have at most 200 columns`, of which its reader says what it is. */
export class BeyondBounds extends Error {
  override name = "BeyondBounds";

  constructor(most: number, what: string) {
    super(`should have at most ${most} ${what}`);
  }
}
