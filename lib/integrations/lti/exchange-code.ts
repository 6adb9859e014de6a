import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { LaunchCode, LaunchSession } from "../../../schema/api/identity/auth.ts";
import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";

const Taken = z.object({
  person: z.int(),
  version: z.int(),
  launch: z.object({
    university_id: z.int(),
    course_id: z.int(),
    course_offering_id: z.int(),
    content_item_id: z.int().nullable(),
    module_id: z.int().nullable(),
    role: z.enum(["student", "ta", "instructor"]),
    deep_linking: z.object({ ticket: z.string(), accept_multiple: z.boolean() }).nullish(),
  }),
});

/**
 * Only the caller that deletes the code has it. `proof` is the hash of the page's key. No row if code or
 * person is gone or inactive.
 */
export const consumeLaunchCodeQuery = (code: string, proof: string, facts: string): SQL => sql`
  with taken as (
    delete from lti_launch_codes
    where code_hash = ${code} and expires_at > (${facts}::jsonb ->> 'at')::timestamptz
      and coalesce(challenge = ${proof}, challenge is null)
    returning *
  ), signed as materialized (
    select one.id as person, one.token_version as version, taken.launch, taken.platform_id
    from taken join users as one on one.id = taken.user_id and one.is_active and one.erased_at is null
  ), audited as materialized (
    select audit('sign_in', person, person, (launch ->> 'university_id')::int,
      jsonb_build_object('lti_platform_id', platform_id), ${facts}::jsonb) from signed
  )
  -- PostgreSQL does not run a select that is not read.
  select person, version, launch from signed where (select count(*) from audited) >= 0`;

/**
 * Exchanges a launch's code, once, for tokens that reach only its offering. 400 for a used code, one over a
 * minute old, or another page's.
 */
export async function exchangeLaunchCode(
  { db, tokens, now }: Pick<Deps, "db" | "tokens" | "now">,
  { code, code_verifier = "" }: z.output<typeof LaunchCode>,
): Promise<z.input<typeof LaunchSession>> {
  const [taken] = await rowsOf(
    db,
    Taken,
    consumeLaunchCodeQuery(fingerprint(code), fingerprint(code_verifier), requestAuditJson()),
  );
  if (!taken) throw badRequest("launch_code_void");
  const {
    university_id,
    course_offering_id: offering_id,
    course_id,
    role,
    deep_linking = null,
  } = taken.launch;
  const pair = await tokens.issue({
    id: taken.person,
    token_version: taken.version,
    signed_in_at: Math.floor(now().getTime() / 1000),
    reach: { university_id, offering_id, course_id },
  });
  return {
    ...pair,
    launch: { ...taken.launch, deep_linking, role: role.toUpperCase() as Uppercase<typeof role> },
  };
}
