/** Worker thread that reads captions. */
import { serveReadTaskAsWorker } from "../../../platform/readers/reader-thread.ts";
import { parseCaptionsBytesOrUpload } from "./read-captions.ts";

serveReadTaskAsWorker(parseCaptionsBytesOrUpload);
