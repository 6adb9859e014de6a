/*
 * The inside of a thread that reads one file. It is given the file when it starts, or asks for its bytes as it reads them,
 * says what it has read, or why that is refused, and ends.
 */
import { once } from "node:events";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type ErrorStatus, type FieldIssue, HttpError, ValidationError } from "../errors.ts";
import { BeyondBounds } from "./beyond-bounds.ts";

/** What a thread says in the end; an error's class does not come through. */
export type Said<T> =
  | { value: T }
  | { faults: readonly FieldIssue[] }
  | { status: ErrorStatus; code: string; detail: string };

/** By what a thread asks for the next bytes of a file that was sent before: it is told some, or null at their end. */
export const nextBytes = "next";

/** Reads what the thread was started for. Whatever else reads a file's module starts nothing. */
export async function readInThisThread<Input, Output>(
  read: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  if (!parentPort) return;
  letRequestsGoFirst();
  parentPort.postMessage(await saidOf(() => read(workerData as Input)));
}

/** The same, and then whatever else it is given, one after the other. */
export async function readOnInThisThread<Input, Output>(
  read: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  const port = parentPort;
  if (!port) return;
  letRequestsGoFirst();
  const answer = async (input: Input) => port.postMessage(await saidOf(() => read(input)));
  port.on("message", answer);
  await answer(workerData as Input);
}

/** On Linux a thread has a priority of its own: requests that need a moment go first. */
function letRequestsGoFirst(): void {
  if (process.platform === "linux") setPriority(5);
}

/** The bytes of the file that was sent before; BeyondBounds as soon as they are more than so many megabytes. */
export async function receiveBytes(mostMegabytes: number): Promise<Buffer> {
  if (!parentPort) throw new Error("only a thread that reads is told bytes");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    parentPort.postMessage(nextBytes);
    const [chunk]: (Uint8Array | null)[] = await once(parentPort, "message");
    if (!chunk) return Buffer.concat(chunks, length);
    length += chunk.length;
    if (length > mostMegabytes * 1_000_000) throw new BeyondBounds(mostMegabytes, "MB");
    chunks.push(chunk);
  }
}

async function saidOf<T>(read: () => T | Promise<T>): Promise<Said<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof ValidationError) return { faults: error.faults };
    if (error instanceof HttpError) return { status: error.status, code: error.code, detail: error.message };
    throw error;
  }
}
