import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { listAuditEvents } from "../../../lib/identity/audit/listing.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { AuditEvent, AuditQuery } from "../../../schema/api/identity/audit.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const getAudit = endpoint(
  {
    id: "getAudit",
    method: "get",
    path: "/audit",
    summary: "Read the audit log",
    description:
      "Newest first. Platform administrators read all of it; a university's administrators what was done in their university, and to the accounts of its people.",
    ...may("audit:read", "audit:read-all"),
    query: AuditQuery,
    ...ok(listOf(AuditEvent), "What was done, by whom, to whom, when and from where"),
  },
  ({ deps, actor, query }) => listAuditEvents(deps.db, actor, query),
);
