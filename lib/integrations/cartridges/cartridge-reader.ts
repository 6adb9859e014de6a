/** Worker thread that reads manifests and parts of cartridges. */
import { readOnInThisThread } from "../../platform/readers/reading.ts";
import { readPart } from "./read-part.ts";

readOnInThisThread(readPart);
