import { runReadTaskInWorker } from "../../platform/readers/reader-thread.ts";
import { parseProviderMetadata } from "./metadata.ts";

runReadTaskInWorker(parseProviderMetadata);
