import { AsyncLocalStorage } from "node:async_hooks";

const waiting = new AsyncLocalStorage<true>();

/** Runs what waits for its operation's share of the connections as long as it takes, and is never refused for it. */
export const waitForShare = <T>(work: () => T): T => waiting.run(true, work);

export const isWaitingForShare = (): boolean => waiting.getStore() === true;
