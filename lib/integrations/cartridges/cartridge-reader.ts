/** Worker thread that reads manifests and parts of cartridges. */
import { readRepeatedlyInThisThread } from "../../platform/readers/reading.ts";
import { readPart } from "./read-part.ts";

readRepeatedlyInThisThread(readPart);
