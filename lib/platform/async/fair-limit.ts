import { callerLeft } from "../../errors.ts";
import { FairQueue } from "./fair-queue.ts";
import { currentRequest, shareOfRequest } from "./request-context.ts";

type Options = {
  atOnce: number;
};

type RunOptions = {
  evenAlone?: boolean;
};

type Waiting = { start(): void };

/** Limits concurrency. The queue is fair by network and account; callers that hang up leave it. */
export class FairLimit {
  readonly #atOnce: number;
  readonly #queue = new FairQueue<Waiting>();
  #running = 0;

  constructor({ atOnce }: Options) {
    this.#atOnce = atOnce;
  }

  async run<Result>(work: () => Promise<Result>, { evenAlone = false }: RunOptions = {}): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(evenAlone);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  /** Resolves on the request's turn, and counts it as running. */
  #turn(evenAlone: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const share = shareOfRequest();
    const caller = evenAlone ? undefined : currentRequest()?.caller;
    if (caller?.destroyed) throw callerLeft();
    const leave = () => {
      this.#queue.remove(share, waiting);
      reject(callerLeft());
    };
    const waiting: Waiting = { start: resolve };
    caller?.once("close", leave);
    this.#queue.add(share, waiting);
    return promise.finally(() => caller?.off("close", leave));
  }

  #startNext(): void {
    if (this.#running >= this.#atOnce) return;
    const next = this.#queue.take();
    if (!next) return;
    this.#running += 1;
    next.start();
  }
}
