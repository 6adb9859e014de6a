/** The thread that reads the metadata of an identity provider. */
import { readInThisThread } from "../readers/reading.ts";
import { readMetadata } from "./metadata.ts";

readInThisThread(readMetadata);
