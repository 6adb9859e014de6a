import { serveReadTaskAsWorker } from "../../platform/readers/reader-thread.ts";
import { parseImportRows } from "./read-rows.ts";

serveReadTaskAsWorker(parseImportRows);
