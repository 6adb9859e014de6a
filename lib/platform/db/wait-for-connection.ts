import { AsyncLocalStorage } from "node:async_hooks";

const waiting = new AsyncLocalStorage<true>();

/** Runs work that waits without a timeout for its operation's share of connections. */
export const waitForConnectionWithoutTimeout = <T>(work: () => T): T => waiting.run(true, work);

export const isWaitingForConnectionWithoutTimeout = (): boolean => waiting.getStore() === true;
