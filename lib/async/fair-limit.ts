import { callerLeft, unavailable } from "../errors.ts";
import { FairQueue } from "./fair-queue.ts";
import { currentRequest, shareOfRequest } from "./request-context.ts";

type Options = {
  /** How many works are done at once. */
  atOnce: number;
  /** How many may wait. Beyond it whoever has the most waiting loses the newest of theirs, to a 503. */
  mostWaiting?: number;
  /** What the 503 says. */
  tooMany?: FullQueue;
};

type FullQueue = "too_many_wait" | "too_many_sign_ins";

type RunOptions = {
  /** Whether the work is to be done also when the caller has hung up. */
  evenAlone?: boolean;
};

type Waiting = { start(): void; refuse(reason: unknown): void };

/**
 * Does so much work at once, and the rest in turns: of those who wait, by the network address and the account of the
 * request that asks. Who hangs up leaves the queue. While nobody waits, nobody feels it.
 */
export class FairLimit {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #tooMany: FullQueue;
  readonly #queue = new FairQueue<Waiting>();
  #running = 0;

  constructor({ atOnce, mostWaiting = Number.POSITIVE_INFINITY, tooMany = "too_many_wait" }: Options) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
    this.#tooMany = tooMany;
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

  /** Resolves when it is the request's turn, which counts as running from then on. */
  #turn(evenAlone: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const share = shareOfRequest();
    const caller = evenAlone ? undefined : currentRequest()?.caller;
    if (caller?.destroyed) throw callerLeft();
    const leave = () => {
      this.#queue.remove(share, waiting);
      reject(callerLeft());
    };
    const waiting: Waiting = { start: resolve, refuse: reject };
    caller?.once("close", leave);
    this.#queue.add(share, waiting);
    if (this.#queue.size > this.#mostWaiting)
      this.#queue.takeFromLongest()?.refuse(unavailable(this.#tooMany));
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
