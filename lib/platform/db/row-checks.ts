import type { ReadDb } from "./client.ts";

const checked = new WeakSet<ReadDb>();

let isAnyChecked = false;

/** For tests and development. */
export function enableRowChecks(db: ReadDb): void {
  checked.add(db);
  isAnyChecked = true;
}

export const areRowsChecked = (db: ReadDb): boolean => checked.has(db);

/** True in tests and development servers. */
export const isAnyRowCheckEnabled = (): boolean => isAnyChecked;
