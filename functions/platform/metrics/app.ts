import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { checkHealth, checkReadiness } from "./health.ts";
import { getMetrics } from "./metrics.ts";

export const operations = createEndpointGroup(
  "Operations",
  "",
  [getMetrics, checkHealth, checkReadiness],
  true,
);
