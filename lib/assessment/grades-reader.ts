/** Worker thread that reads a file of grades. */
import { serveReadTaskAsWorker } from "../platform/readers/reader-thread.ts";
import { parseGradesForDatabase } from "./parse-grades-csv.ts";

serveReadTaskAsWorker(parseGradesForDatabase);
