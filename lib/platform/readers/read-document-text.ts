import type { DocumentInput, DocumentText } from "./document-text.ts";
import { createReaderThreadPool } from "./reading-threads.ts";

export const maxDocumentBytes = 64 * 1024 * 1024;

const documentReader = new URL("./document-text-reader.ts", import.meta.url);

/** One at a time: 200 pages take some seconds of CPU. */
const threads = createReaderThreadPool({
  ...{ threads: 1, files: 1000, waitSeconds: 10, waitingFiles: 1000 },
  ...{ seconds: 60, timeoutSeconds: 180, megabytes: 192 },
});

/**
 * Runs `readDocument` in a worker thread. Throws its 400, also for too much time or memory, and 503 if no
 * thread became free.
 */
export const readDocumentInThread = (given: DocumentInput): Promise<DocumentText> =>
  threads.read<DocumentText>(documentReader, given, 0);
