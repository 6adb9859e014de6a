/** Worker thread that reads a file of questions. */
import { serveReadTaskAsWorker } from "../platform/readers/reader-thread.ts";
import { parseUploadedQuestionsInWorker } from "./read-questions.ts";

serveReadTaskAsWorker(parseUploadedQuestionsInWorker);
