import { serveReadTasksAsWorker } from "../../platform/readers/reader-thread.ts";
import { readPart } from "./read-part.ts";

serveReadTasksAsWorker(readPart);
