import { serveReadTaskAsWorker } from "../../platform/readers/reader-thread.ts";
import { parseProviderMetadata } from "./metadata.ts";

serveReadTaskAsWorker(parseProviderMetadata);
