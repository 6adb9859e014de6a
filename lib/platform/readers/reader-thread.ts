/* A worker thread receives its file at start or requests the bytes. */
import { once } from "node:events";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type ErrorStatus, type FieldIssue, HttpError, ValidationError } from "../../errors.ts";
import { BeyondBounds } from "./beyond-bounds.ts";
import { lineOfByte } from "./decode-text.ts";

/** The thread's final message. Error classes do not survive posting. */
export type ThreadResult<T> =
  | { value: T }
  | { issues: readonly FieldIssue[] }
  | { status: ErrorStatus; code: string; detail: string; values: HttpError["values"] };

/** Requests the next chunk; the reply is bytes, or null at the end. */
export const nextChunkRequest = "next";

/** Does nothing if the module is imported outside a worker. */
export async function serveReadTaskAsWorker<Input, Output>(
  read: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  if (!parentPort) return;
  letRequestsGoFirst();
  parentPort.postMessage(await saidOf(() => read(workerData as Input)));
}

/** Like `serveReadTaskAsWorker`, then continues with further inputs. */
export async function serveReadTasksAsWorker<Input, Output>(
  read: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  const port = parentPort;
  if (!port) return;
  letRequestsGoFirst();
  const answer = async (input: Input) => port.postMessage(await saidOf(() => read(input)));
  port.on("message", answer);
  await answer(workerData as Input);
}

/** On Linux each thread has its own priority: a lower one lets requests run first. */
function letRequestsGoFirst(): void {
  if (process.platform === "linux") setPriority(5);
}

/** Throws BeyondBounds above `maxMegabytes`, with the line unless it is an archive. */
export async function receiveBytes(maxMegabytes: number): Promise<Buffer> {
  if (!parentPort) throw new Error("receiveBytes was called outside a reading thread");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    parentPort.postMessage(nextChunkRequest);
    const [chunk]: (Uint8Array | null)[] = await once(parentPort, "message");
    if (!chunk) return Buffer.concat(chunks, length);
    length += chunk.length;
    chunks.push(chunk);
    const most = maxMegabytes * 1_000_000;
    if (length > most)
      throw new BeyondBounds(maxMegabytes, "MB", isArchive(chunks) ? undefined : lineOfByte(chunks, most));
  }
}

const isArchive = ([first]: readonly Uint8Array[]): boolean => first?.[0] === 0x50 && first[1] === 0x4b;

async function saidOf<T>(read: () => T | Promise<T>): Promise<ThreadResult<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof ValidationError) return { issues: error.issues };
    if (error instanceof HttpError) {
      const { status, code, message: detail, values } = error;
      return { status, code, detail, values };
    }
    throw error;
  }
}
