import { readInThisThread } from "../../platform/readers/reader-thread.ts";
import { readMetadata } from "./metadata.ts";

readInThisThread(readMetadata);
