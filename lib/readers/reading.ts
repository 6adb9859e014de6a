/*
 * The inside of a thread that reads one file. It is given the file when it starts, says what it has read, or why that is
 * refused, and ends.
 */
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type ErrorStatus, type FieldIssue, HttpError, ValidationError } from "../errors.ts";

/** What a thread says in the end; an error's class does not come through. */
export type Said<T> =
  | { value: T }
  | { faults: readonly FieldIssue[] }
  | { status: ErrorStatus; detail: string };

/** Reads what the thread was started for. Whatever else reads a file's module starts nothing. */
export async function readInThisThread<Input, Output>(
  read: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  if (!parentPort) return;
  // On Linux a thread has a priority of its own: requests that need a moment go first.
  if (process.platform === "linux") setPriority(5);
  parentPort.postMessage(await saidOf(() => read(workerData as Input)));
}

async function saidOf<T>(read: () => T | Promise<T>): Promise<Said<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof ValidationError) return { faults: error.faults };
    if (error instanceof HttpError) return { status: error.status, detail: error.message };
    throw error;
  }
}
