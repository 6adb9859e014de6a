/** A limit, such as `should have at most 200 columns`. The reader adds the subject. */
export class BeyondBounds extends Error {
  override name = "BeyondBounds";
  /** The line of a text that passes the limit. */
  readonly line: number | undefined;

  constructor(most: number, what: string, line?: number) {
    super(`should have at most ${most} ${what}`);
    this.line = line;
  }
}
