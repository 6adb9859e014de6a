/** After the caller is confirmed, the shell calls `settle` with a writable handle and reads again. */
export class ReadWithOverdueWork<Found, Handle> {
  readonly found: Found;
  readonly settle: (db: Handle) => Promise<void>;

  constructor(found: Found, settle: (db: Handle) => Promise<void>) {
    this.found = found;
    this.settle = settle;
  }
}
