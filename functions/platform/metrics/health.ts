import { unavailable } from "../../../lib/errors.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { readinessOf } from "../../../lib/platform/db/migrations/readiness.ts";
import { Health } from "../../../schema/api/platform/health.ts";

export const checkHealth = endpoint(
  {
    id: "checkHealth",
    method: "get",
    path: "/healthz",
    summary: "Learn whether the process is up",
    description: "Asks nothing of the database.",
    ...anyone,
    ...ok(Health, "It is"),
    fails: [405],
  },
  () => ({ status: "ok" as const }),
);

export const checkReadiness = endpoint(
  {
    id: "checkReadiness",
    method: "get",
    path: "/readyz",
    summary: "Learn whether requests can be answered",
    description:
      "The database is within reach, takes writes, and has every migration that this version needs; the detail of a 503 says which part is away. A server asks by a connection of its own, so that no request is in the way. One that was told to stop says no, and ends the answers that it is giving.",
    ...anyone,
    ...ok(Health, "They can"),
    fails: [405, 503],
  },
  async ({ deps }) => {
    if (deps.lifecycle.isDraining()) throw unavailable("shutting_down");
    const { missing, isWritable } = await readinessOf(deps.readiness);
    if (missing > 0) throw unavailable("migrations_missing", undefined, undefined, { migrations: missing });
    if (!isWritable) throw unavailable("database_read_only");
    return { status: "ok" as const };
  },
);
