import { readInThisThread } from "../../platform/readers/reading.ts";
import { readMetadata } from "./metadata.ts";

readInThisThread(readMetadata);
