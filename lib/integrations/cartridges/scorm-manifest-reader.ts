import { serveReadTaskAsWorker } from "../../platform/readers/reader-thread.ts";
import { readScormManifest } from "./scorm-manifest.ts";

serveReadTaskAsWorker(readScormManifest);
