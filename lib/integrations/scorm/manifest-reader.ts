import { runReadTaskInWorker } from "../../platform/readers/reader-thread.ts";
import { readScormManifest } from "./read-manifest.ts";

runReadTaskInWorker(readScormManifest);
