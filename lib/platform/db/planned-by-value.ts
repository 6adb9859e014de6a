/** The statement is planned on each call, because the best plan depends on this value. */
export class PlannedByValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  toPostgres(): string {
    return this.#value;
  }
}
