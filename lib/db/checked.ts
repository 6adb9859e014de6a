import type { ReadDb } from "./client.ts";

/** The databases whose rows are held against what the statement states. */
const checked = new WeakSet<ReadDb>();

let isAnyChecked = false;

/** Holds every row of this database and its transactions against its schema, for tests and development. */
export function checkRows(db: ReadDb): void {
  checked.add(db);
  isAnyChecked = true;
}

export const areRowsChecked = (db: ReadDb): boolean => checked.has(db);

/** Whether values are held against what their expressions state; the process of a test or a development server does. */
export const areValuesChecked = (): boolean => isAnyChecked;
