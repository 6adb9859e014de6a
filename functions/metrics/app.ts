import { group } from "../../lib/http/endpoint.ts";
import { checkHealth, checkReadiness } from "./health.ts";
import { readMetrics } from "./metrics.ts";

export const operations = group("Operations", "", [readMetrics, checkHealth, checkReadiness], true);
