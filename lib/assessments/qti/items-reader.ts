/** Worker thread that reads QTI files. */
import { readInThisThread } from "../../readers/reading.ts";
import { readFiles } from "./read-files.ts";

readInThisThread(readFiles);
