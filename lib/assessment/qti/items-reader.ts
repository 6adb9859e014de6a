/** Worker thread that reads QTI files. */
import { readInThisThread } from "../../platform/readers/reading.ts";
import { readFiles } from "./read-files.ts";

readInThisThread(readFiles);
