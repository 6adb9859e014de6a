import { runReadTasksInWorker } from "../../platform/readers/reader-thread.ts";
import { verifySamlResponse } from "./response.ts";

runReadTasksInWorker(verifySamlResponse);
