import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { listAuditEvents } from "../../../lib/identity/audit/listing.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { AuditEvent, AuditQuery } from "../../../schema/api/identity/audit.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const getAudit = endpoint(
  {
    id: "getAudit",
    method: "get",
    path: "/audit",
    summary: "Read the audit log",
    description:
      "Entries are newest first. Platform administrators read all entries. University administrators read " +
      "actions in their university and on the accounts of its people.",
    ...permittedTo("audit:read", "audit:read-all"),
    query: AuditQuery,
    ...ok(listOf(AuditEvent), "Actions with actor, target, time and origin"),
  },
  ({ deps, actor, query }) => listAuditEvents(deps.db, actor, query),
);
