import { runReadTasksInWorker } from "../../platform/readers/reader-thread.ts";
import { readPart } from "./read-part.ts";

runReadTasksInWorker(readPart);
