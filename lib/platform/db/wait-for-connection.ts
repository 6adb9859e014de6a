import { AsyncLocalStorage } from "node:async_hooks";

const waiting = new AsyncLocalStorage<true>();

export const runWithoutConnectionTimeout = <T>(work: () => T): T => waiting.run(true, work);

export const isConnectionTimeoutDisabled = (): boolean => waiting.getStore() === true;
