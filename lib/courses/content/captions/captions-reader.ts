/** Worker thread that reads captions. */
import { readInThisThread } from "../../../platform/readers/reader-thread.ts";
import { readCaptionsFile } from "./read-captions.ts";

readInThisThread(readCaptionsFile);
