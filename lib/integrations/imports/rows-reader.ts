import { runReadTaskInWorker } from "../../platform/readers/reader-thread.ts";
import { parseImportRows } from "./read-rows.ts";

runReadTaskInWorker(parseImportRows);
