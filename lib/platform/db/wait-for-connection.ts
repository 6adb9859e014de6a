import { AsyncLocalStorage } from "node:async_hooks";

const waiting = new AsyncLocalStorage<true>();

export const waitForConnectionWithoutTimeout = <T>(work: () => T): T => waiting.run(true, work);

export const isWaitingForConnectionWithoutTimeout = (): boolean => waiting.getStore() === true;
