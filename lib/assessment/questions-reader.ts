/** Worker thread that reads a file of questions. */
import { runReadTaskInWorker } from "../platform/readers/reader-thread.ts";
import { parseUploadedQuestionsInWorker } from "./read-questions.ts";

runReadTaskInWorker(parseUploadedQuestionsInWorker);
