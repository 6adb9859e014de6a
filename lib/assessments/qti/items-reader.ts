/** The thread that reads files of QTI. */
import { readInThisThread } from "../../readers/reading.ts";
import { readFiles } from "./read-files.ts";

readInThisThread(readFiles);
