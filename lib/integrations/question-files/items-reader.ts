/** Worker thread that reads files of questions. */
import { readInThisThread } from "../../platform/readers/reading.ts";
import { readFiles } from "./read-files.ts";

readInThisThread(readFiles);
