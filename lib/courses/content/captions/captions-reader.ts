/** Worker thread that reads captions. */
import { runReadTaskInWorker } from "../../../platform/readers/reader-thread.ts";
import { readCaptionsFile } from "./read-captions.ts";

runReadTaskInWorker(readCaptionsFile);
