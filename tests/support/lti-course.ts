import { sql } from "drizzle-orm";
import { renewToolKeys } from "../../lib/integrations/lti/keys.ts";
import { startLtiPlatform } from "./lti-platform-stand-in.ts";
import type { World } from "./world.ts";

type Bound = { university: { id: number }; offering: { id: number } };

/** An LMS stand-in that has the tool's keys. */
export async function startLms(world: World) {
  await renewToolKeys(world.deps);
  const keys = await world.app.request("http://localhost/lti/jwks");
  const lms = await startLtiPlatform();
  lms.services.state.toolKeys = (await keys.json()) as typeof lms.services.state.toolKeys;
  return lms;
}

/** An LMS course bound to an offering, as launches would create it. */
export async function bindCourse(
  world: World,
  lms: Awaited<ReturnType<typeof startLtiPlatform>>,
  { university, offering }: Bound,
) {
  const db = world.deps.db;
  const idOf = async (statement: ReturnType<typeof sql>): Promise<number> => {
    const { rows } = await db.execute<{ id: number }>(statement);
    return rows[0]?.id ?? 0;
  };
  const { registration } = lms;
  const platform = await idOf(sql`
    insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
    values (${university.id}, ${registration.name}, ${registration.issuer}, ${registration.client_id},
            ${registration.auth_login_url}, ${registration.auth_token_url}, ${registration.jwks_url}) returning id`);
  const deployment = await idOf(sql`
    insert into lti_deployments (platform_id, deployment_id, admitted_at) values (${platform}, '1', now()) returning id`);
  const context = await idOf(sql`
    insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id, memberships_url)
    values (${platform}, ${deployment}, 'course-1', 'Computing', ${offering.id}, ${university.id},
            ${`${lms.issuer}/memberships`}) returning id`);
  const column = (name: string | null) => (name === null ? null : `${lms.issuer}/lineitems/${name}`);
  return {
    platform,
    deployment,
    context,
    /** A link to an item, a module or the course, with a column of that name or none. */
    link: (name: string | null, to: { content_item_id?: number; module_id?: number } = {}) =>
      idOf(sql`
        insert into lti_links (context_id, resource_link_id, content_item_id, module_id, line_item_url)
        values (${context}, ${`link ${name}`}, ${to.content_item_id ?? null}, ${to.module_id ?? null}, ${column(name)})
        returning id`),
    /** An LMS user with that subject. */
    know: (subject: string, user_id: number) =>
      idOf(sql`
        insert into lti_people (platform_id, subject, user_id, linked_by)
        values (${platform}, ${subject}, ${user_id}, 'made') returning id`),
  };
}
