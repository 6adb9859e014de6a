import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { exportJWK } from "jose";
import * as z from "zod";
import type { Deps } from "../../lib/deps.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { makersOf } from "../../tests/support/makers.ts";
import { takeRsaKey } from "../../tests/support/rsa-keys.ts";
import type { World } from "../../tests/support/world.ts";

export type LtiToolAndClassIds = {
  tool_id: number;
  client_id: string;
  offering: number;
  items: number[];
  /** Accounts with a seat. */
  learners: number[];
};

export const itemCountPerTool = 10;

/** Of pseudonyms of the tool. */
export const ltiSubjectEncryptionKey = "0".repeat(32);

const Inserted = z.object({ id: z.int() });

/** A tool with graded items in an offering, and a class. */
export async function insertLtiToolWithClass(deps: Deps, people: number) {
  const make = makersOf({ deps } as World);
  const { university, module, offering } = await make.topic();
  const key = await takeRsaKey(2048);
  const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool" };
  const client_id = randomUUID();
  const [tool] = await rowsOf(
    deps.db,
    Inserted,
    sql`
      with tool as (
        insert into lti_tools (university_id, name, client_id, login_url, launch_url, redirect_uris, public_jwks, subject_key)
        select ${university.id}, 'Tool', ${client_id}, at, at, array[at], ${JSON.stringify({ keys: [jwk] })}::jsonb, ${ltiSubjectEncryptionKey}
        from (values ('https://tool.example.com/launch')) as one (at) returning id
      ), placed as (
        insert into lti_tool_deployments (tool_id, university_id) select id, ${university.id} from tool
      )
      select id from tool`,
  );
  if (!tool) throw new Error("no tool");
  const data_json = { lti_tool_id: tool.id, max_points: 100 };
  const items: number[] = [];
  for (let n = 0; n < itemCountPerTool; n += 1)
    items.push((await make.contentItem(module, university.id, { type: "external_tool", data_json })).id);
  const learners = await rowsOf(
    deps.db,
    Inserted,
    sql`
      with people as (
        insert into users (email, full_name) select ${client_id}::text || n || '@example.edu', 'Learner'
        from generate_series(1, ${people}::int) as n returning id
      ), seated as (
        insert into enrollments (user_id, course_offering_id, status) select id, ${offering.id}, 'active' from people
      )
      select id from people`,
  );
  const made: LtiToolAndClassIds = {
    ...{ tool_id: tool.id, client_id, offering: offering.id, items, learners: learners.map(({ id }) => id) },
  };
  return { ...made, key };
}
