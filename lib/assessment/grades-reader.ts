/** Worker thread that reads a file of grades. */
import { readInThisThread } from "../platform/readers/reader-thread.ts";
import { readGradesFile } from "./parse-grades-csv.ts";

readInThisThread(readGradesFile);
