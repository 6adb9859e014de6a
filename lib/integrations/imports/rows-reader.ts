/** Worker thread that reads the files of an import. */
import { readInThisThread } from "../../platform/readers/reading.ts";
import { readRows } from "./read-rows.ts";

readInThisThread(readRows);
