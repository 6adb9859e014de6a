import { readDocument } from "./document-text.ts";
import { readInThisThread } from "./reader-thread.ts";

readInThisThread(readDocument);
