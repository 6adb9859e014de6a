import type { DocumentGiven, DocumentText } from "./document-text.ts";
import { readingThreads } from "./reading-threads.ts";

/** Larger documents are not read. */
export const largestDocument = 64 * 1024 * 1024;

const documentReader = new URL("./document-text-reader.ts", import.meta.url);

/** Nobody waits for a document, and 200 pages of one take a processor some seconds: one at a time is read. */
const threads = readingThreads({
  ...{ threads: 1, files: 1000, waitSeconds: 10, waitingFiles: 1000 },
  ...{ seconds: 60, timeoutSeconds: 180, megabytes: 192 },
});

/**
 * The text of a document, read in a thread of its own, as `readDocument` says. Throws its 400, also for what takes too
 * much time or memory; a 503 where there was no time.
 */
export const readDocumentText = (given: DocumentGiven): Promise<DocumentText> =>
  threads.read<DocumentText>(documentReader, given, 0);
