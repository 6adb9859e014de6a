/** The thread that reads the text of a document. */
import { readDocument } from "./document-text.ts";
import { readInThisThread } from "./reading.ts";

readInThisThread(readDocument);
