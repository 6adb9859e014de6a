import { runReadTaskInWorker } from "../../platform/readers/reader-thread.ts";
import { parseQuestionFiles } from "./read-files.ts";

runReadTaskInWorker(parseQuestionFiles);
