/** Worker thread that reads captions. */
import { readInThisThread } from "../../../platform/readers/reading.ts";
import { readCaptionsFile } from "./read-captions.ts";

readInThisThread(readCaptionsFile);
