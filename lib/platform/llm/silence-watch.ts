/** Allowed silence in milliseconds: before the first event, and between events. */
export type SilenceLimits = { first: number; between: number };

export class SilenceWatch implements Disposable {
  readonly #controller = new AbortController();
  readonly #between: number;
  #timer: NodeJS.Timeout;
  #isAlive = false;
  limitMs: number;

  constructor({ first, between }: SilenceLimits) {
    this.#between = between;
    this.limitMs = first;
    this.#timer = this.#wait();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly alive = (): void => {
    if (this.#isAlive) return void this.#timer.refresh();
    this.#isAlive = true;
    this.limitMs = this.#between;
    clearTimeout(this.#timer);
    this.#timer = this.#wait();
  };

  #wait = (): NodeJS.Timeout => setTimeout(() => this.#controller.abort(), this.limitMs);

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
