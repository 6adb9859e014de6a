import { serveReadTaskAsWorker } from "../../platform/readers/reader-thread.ts";
import { parseQuestionFiles } from "./read-files.ts";

serveReadTaskAsWorker(parseQuestionFiles);
