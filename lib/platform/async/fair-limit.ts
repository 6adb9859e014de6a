import { clientClosedRequestError } from "../../errors.ts";
import { FairQueue } from "./fair-queue.ts";
import { currentRequest, fairQueueKeyOfRequest } from "./request-context.ts";

type Options = {
  atOnce: number;
  ofOneNetwork?: number;
};

type RunOptions = {
  evenAlone?: boolean;
};

/** `isCrowded`: the network has further work running or waiting. */
export type NetworkCrowding = { isCrowded: boolean };

type Waiting = { start(): void };

/** Fair by network and account; callers that hang up leave the queue. */
export class FairLimit {
  readonly atOnce: number;
  readonly #ofOneNetwork: number;
  readonly #queue = new FairQueue<Waiting>();
  readonly #held = new Map<string, number>();
  #running = 0;

  constructor({ atOnce, ofOneNetwork = atOnce }: Options) {
    this.atOnce = atOnce;
    this.#ofOneNetwork = ofOneNetwork;
  }

  /** Requests in the queue. */
  get waiting(): number {
    return this.#queue.size;
  }

  async run<Result>(
    work: (turn: NetworkCrowding) => Promise<Result>,
    { evenAlone = false }: RunOptions = {},
  ): Promise<Result> {
    const { network } = fairQueueKeyOfRequest();
    if (this.#running < this.atOnce && this.#hasRoom(network)) this.#begin(network);
    else await this.#turn(evenAlone);
    try {
      return await work({ isCrowded: (this.#held.get(network) ?? 0) > 1 || this.#queue.has(network) });
    } finally {
      this.#end(network);
      this.#startNext();
    }
  }

  #turn(evenAlone: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const share = fairQueueKeyOfRequest();
    const caller = evenAlone ? undefined : currentRequest()?.caller;
    if (caller?.destroyed) throw clientClosedRequestError();
    const leave = () => {
      this.#queue.remove(share, waiting);
      reject(clientClosedRequestError());
    };
    const start = () => {
      this.#begin(share.network);
      resolve();
    };
    const waiting: Waiting = { start };
    caller?.once("close", leave);
    this.#queue.add(share, waiting);
    return promise.finally(() => caller?.off("close", leave));
  }

  #hasRoom(network: string): boolean {
    return (this.#held.get(network) ?? 0) < this.#ofOneNetwork;
  }

  #begin(network: string): void {
    this.#running += 1;
    this.#held.set(network, (this.#held.get(network) ?? 0) + 1);
  }

  #end(network: string): void {
    this.#running -= 1;
    const held = (this.#held.get(network) ?? 0) - 1;
    if (held > 0) this.#held.set(network, held);
    else this.#held.delete(network);
  }

  #startNext(): void {
    if (this.#running >= this.atOnce) return;
    this.#queue.take((network) => this.#hasRoom(network))?.start();
  }
}
