import { readingThreads } from "../../platform/readers/reading-threads.ts";
import type { ResponseGiven, ResponseRead } from "./response.ts";

const responseReader = new URL("./response-reader.ts", import.meta.url);

/**
 * A whole class may sign in at the same time: responses are queued, fairly by provider. Loading the parser
 * takes longer than parsing, so threads are reused, except after a rejected response.
 */
const threads = readingThreads(
  {
    ...{ threads: 2, files: 200, waitSeconds: 10, waitingFiles: 400 },
    ...{ seconds: 5, timeoutSeconds: 20, megabytes: 128 },
  },
  (read) => "assertion" in (read as ResponseRead),
);

/**
 * Runs `readResponse` in a worker thread. Throws 400 if it takes too much time or memory, 429 or 503 if the
 * queue is full.
 */
export const readResponseInThread = (given: ResponseGiven, providerId: number): Promise<ResponseRead> =>
  threads.read<ResponseRead>(responseReader, given, providerId);
