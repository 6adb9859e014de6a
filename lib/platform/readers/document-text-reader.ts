import { readDocument } from "./document-text.ts";
import { serveReadTaskAsWorker } from "./reader-thread.ts";

serveReadTaskAsWorker(readDocument);
