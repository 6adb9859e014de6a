/** Worker thread that reads a file of grades. */
import { runReadTaskInWorker } from "../platform/readers/reader-thread.ts";
import { readGradesFile } from "./parse-grades-csv.ts";

runReadTaskInWorker(readGradesFile);
