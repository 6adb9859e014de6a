import { runReadTaskInWorker } from "../../platform/readers/reader-thread.ts";
import { readScormManifest } from "./scorm-manifest.ts";

runReadTaskInWorker(readScormManifest);
