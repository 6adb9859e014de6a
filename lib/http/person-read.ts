import { roles } from "../../schema/enums.ts";
import type { HeldRole } from "../identity/rbac/policy.ts";
import { currentRequest } from "../platform/async/request-context.ts";
import type { PersonDataReadBuffer } from "../platform/metrics/person-reads.ts";
import type { Contract } from "./endpoint.ts";
import type { ValidatedRequest } from "./validate.ts";

/**
 * Whether the path or query names a person. Such reads by staff are audited, lists and gradebooks are not.
 */
export const isOnePersonRead = ({
  method,
  params,
  query,
}: Pick<Contract, "method" | "params" | "query">): boolean =>
  method === "get" && ("user_id" in (params?.shape ?? {}) || "user_id" in (query?.shape ?? {}));

type Caller = { id: number; roles: readonly HeldRole[] };

/** With a role above student, or with a university's API key. */
const isStaff = (caller: unknown): caller is Caller =>
  typeof caller === "object" &&
  caller !== null &&
  "roles" in caller &&
  (caller as Caller).roles.some(({ role }) => roles.indexOf(role) > 0);

/** Records a read of another person's data by staff. */
export function notePersonRead(
  personReads: Pick<PersonDataReadBuffer, "note">,
  contract: Contract,
  caller: unknown,
  parts: ValidatedRequest | undefined,
): void {
  // These operations audit in their own statement.
  const tellsItself = contract.writes === "audit";
  if (tellsItself || !isStaff(caller) || !isOnePersonRead(contract)) return;
  const given = { ...(parts?.query as object), ...(parts?.params as object) } as Record<string, unknown>;
  const idOf = (...names: string[]): number | null =>
    names.map((name) => given[name]).find((value) => typeof value === "number") ?? null;
  const person = idOf("user_id");
  if (person === null || person === caller.id) return;
  const { operation, request_id, from, at = new Date(), api_key } = currentRequest() ?? {};
  personReads.note({
    ...{ actor: caller.id, person, at, operation: operation ?? contract.id },
    ...{ request: request_id ?? null, from: from ?? null, key: api_key ?? null },
    university: idOf("university_id"),
    offering: idOf("offering_id", "course_offering_id"),
    course: idOf("course_id"),
    item: idOf("content_item_id", "content_id", "assignment_id"),
  });
}
