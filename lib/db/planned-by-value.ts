/** A value by which its statement is planned each time: how to find the rows depends on it. */
export class PlannedByValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** As `pg` asks for it. */
  toPostgres(): string {
    return this.#value;
  }
}
