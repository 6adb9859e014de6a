import { readInThisThread } from "../readers/reading.ts";
import { readMetadata } from "./metadata.ts";

readInThisThread(readMetadata);
