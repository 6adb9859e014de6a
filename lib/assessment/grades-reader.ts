/** Worker thread that reads a file of grades. */
import { readInThisThread } from "../platform/readers/reading.ts";
import { readGradesFile } from "./read-grades.ts";

readInThisThread(readGradesFile);
