import { timingSafeEqual } from "node:crypto";
import type { Config } from "../../../lib/config.ts";
import { httpErrorFromCode, unauthorized } from "../../../lib/errors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { readCredentialExpirySamples } from "../../../lib/operations/watch/expiring-credentials.ts";
import { readFileStorageUseSamples } from "../../../lib/operations/watch/store-use.ts";
import { expositionContentType, formatExposition } from "../../../lib/platform/metrics/exposition.ts";
import { readSamples } from "../../../lib/platform/metrics/store.ts";

const example = `# HELP http_requests_total HTTP requests, by method, route and status
# TYPE http_requests_total counter
http_requests_total{method="GET",path="/api/v1/courses",status="200"} 42
`;

export const getMetrics = endpoint(
  {
    id: "getMetrics",
    method: "get",
    path: "/metrics",
    summary: "Read the deployment's metrics",
    description:
      "Uses the Prometheus text format. Each instance adds its counts every five seconds. If " +
      "`METRICS_TOKEN` is set, send it as the Bearer token. Returns 404 if `ENABLE_METRICS` is false.",
    ...anyone,
    answer: { status: 200, description: "The metrics", schema: undefined, also: { "text/plain": example } },
    fails: [401, 404, 503],
  },
  async ({ deps, http }) => {
    if (!deps.config.ENABLE_METRICS) throw httpErrorFromCode(404, "not_found");
    if (!isAdmitted(deps.config, http.req.header("authorization"))) throw unauthorized();
    await deps.metrics.report();
    const samples = await Promise.all([
      readSamples(deps.db),
      readFileStorageUseSamples(deps.db, deps.config),
      readCredentialExpirySamples(deps.db, deps.now()),
    ]);
    const text = await formatExposition(samples.flat());
    return http.body(text, 200, { "Content-Type": expositionContentType, "Cache-Control": "no-store" });
  },
);

/** Compared in constant time, against timing attacks. */
function isAdmitted({ METRICS_TOKEN }: Config, authorization = ""): boolean {
  if (!METRICS_TOKEN) return true;
  const given = Buffer.from(authorization.replace(/^Bearer +/i, ""));
  const wanted = Buffer.from(METRICS_TOKEN);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
