import { readDocument } from "./document-text.ts";
import { runReadTaskInWorker } from "./reader-thread.ts";

runReadTaskInWorker(readDocument);
