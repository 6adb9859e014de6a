import { unavailable } from "../../../lib/errors.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { readDatabaseReadiness } from "../../../lib/platform/db/migrations/readiness.ts";
import { Health } from "../../../schema/api/platform/health.ts";

export const checkHealth = endpoint(
  {
    id: "checkHealth",
    method: "get",
    path: "/healthz",
    summary: "Check that the process is up",
    description: "Does not query the database.",
    ...anyone,
    ...ok(Health, "The process is up"),
    fails: [405],
  },
  () => ({ status: "ok" as const }),
);

export const checkReadiness = endpoint(
  {
    id: "checkReadiness",
    method: "get",
    path: "/readyz",
    summary: "Check that the service is ready",
    description:
      "Checks that the database is reachable and writable, and has every migration of this version. The " +
      "detail of a 503 names the failed part. Servers use a separate connection, so requests cannot delay " +
      "the check. A server that is shutting down returns 503 and finishes its running responses.",
    ...anyone,
    ...ok(Health, "The service is ready"),
    fails: [405, 503],
  },
  async ({ deps }) => {
    if (deps.lifecycle.isDraining()) throw unavailable("shutting_down");
    const { missing, isWritable } = await readDatabaseReadiness(deps.readiness);
    if (missing > 0) throw unavailable("migrations_missing", undefined, undefined, { migrations: missing });
    if (!isWritable) throw unavailable("database_read_only");
    return { status: "ok" as const };
  },
);
