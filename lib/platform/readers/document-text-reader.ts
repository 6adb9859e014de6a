import { readDocument } from "./document-text.ts";
import { readInThisThread } from "./reading.ts";

readInThisThread(readDocument);
