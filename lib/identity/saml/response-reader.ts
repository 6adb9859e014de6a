import { serveReadTasksAsWorker } from "../../platform/readers/reader-thread.ts";
import { verifySamlResponse } from "./response.ts";

serveReadTasksAsWorker(verifySamlResponse);
