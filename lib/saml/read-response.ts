import { readingThreads } from "../readers/reading-threads.ts";
import type { ResponseGiven, ResponseRead } from "./response.ts";

const responseReader = new URL("./response-reader.ts", import.meta.url);

/**
 * A class signs in at once: its responses wait, and those of one provider stand before no other's. Loading what reads them
 * takes longer than reading one, so a thread reads on; not behind one that was refused, which may be anyone's.
 */
const threads = readingThreads(
  {
    ...{ threads: 2, files: 200, waitSeconds: 10, waitingFiles: 400 },
    ...{ seconds: 5, timeoutSeconds: 20, megabytes: 128 },
  },
  (read) => "assertion" in (read as ResponseRead),
);

/**
 * Reads a response in a thread of its own, as `readResponse` says. Throws a 400 for what takes too much time or memory, a
 * 429 or a 503 where too many wait.
 */
export const readResponseInThread = (given: ResponseGiven, providerId: number): Promise<ResponseRead> =>
  threads.read<ResponseRead>(responseReader, given, providerId);
