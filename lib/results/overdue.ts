/**
 * What a read found before work that was due is stored. The shell calls `settle` once the caller is confirmed, with a
 * handle that writes, and reads again.
 */
export class Overdue<Found, Handle> {
  readonly found: Found;
  readonly settle: (db: Handle) => Promise<void>;

  constructor(found: Found, settle: (db: Handle) => Promise<void>) {
    this.found = found;
    this.settle = settle;
  }
}
