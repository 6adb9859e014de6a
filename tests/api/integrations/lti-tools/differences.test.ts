import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { maxRosterSnapshotMembers } from "../../../../lib/integrations/lti-tools/roster-state.ts";
import { launchedClaims, nrps, registerTool, toolCourse, toolServer } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

type Member = { user_id: string; status: string; roles: string[]; name?: string };

const linksOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...(headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url = "", rel = ""]) => [
      rel,
      url,
    ]),
  );

async function openRoster() {
  const made = await toolCourse(world, make, { tool: { shares_name: true } });
  const claims = await launchedClaims(world, (await made.launch(made.learner)).body.launch_url);
  const address = (claims[nrps] as { context_memberships_url: string }).context_memberships_url;
  const server = await toolServer(world, made.tool);
  /** All pages, and the address of the next differences. */
  const read = async (from: string) => {
    const members: Member[] = [];
    for (let next: string | undefined = from; next; ) {
      const page = await server.get(next);
      expect(page.status).toBe(200);
      members.push(...page.body.members);
      const links = linksOf(page.headers);
      if (!links["next"]) return { members, differences: links["differences"] ?? "" };
      expect(links["differences"]).toBeUndefined();
      next = links["next"];
    }
    throw new Error("The roster has no last page");
  };
  return { ...made, address, server, read, subject: String(claims.sub) };
}

type Roster = Awaited<ReturnType<typeof openRoster>>;

const run = (statement: ReturnType<typeof sql>) => world.deps.db.execute(statement);

/** Everything happened an hour ago: longer than the margin for changes that were not committed. */
async function settle() {
  await run(sql`update enrollments set changed_at = changed_at - interval '1 hour'`);
  await run(sql`update users set updated_at = updated_at - interval '1 hour'`);
}

const changesAfter = async ({ address, read }: Roster, change: () => Promise<unknown>) => {
  const { differences } = await read(address);
  await settle();
  await change();
  return (await read(differences)).members;
};

describe("the differences of a roster", () => {
  it("are empty without a change, and lead to the next ones", async () => {
    const roster = await openRoster();
    const first = await roster.read(roster.address);
    expect(first.members).toHaveLength(1);
    await settle();
    const second = await roster.read(first.differences);
    expect(second.members).toEqual([]);
    const { id } = await make.person();
    await make.enrollment(id, roster.offering.id);
    const third = await roster.read(second.differences);
    expect(third.members).toMatchObject([{ status: "Active" }]);
    await settle();
    expect((await roster.read(third.differences)).members).toEqual([]);
  });

  it("have people who came, in pages", async () => {
    const roster = await openRoster();
    const { differences } = await roster.read(`${roster.address}?limit=1`);
    await settle();
    for (let n = 0; n < 3; n += 1) await make.enrollment((await make.person()).id, roster.offering.id);
    const { members } = await roster.read(differences);
    expect(members.map(({ status }) => status)).toEqual(["Active", "Active", "Active"]);
    expect(members[0]).toHaveProperty("name");
  });

  it("have people who left, without their names", async () => {
    const roster = await openRoster();
    const members = await changesAfter(roster, () =>
      run(sql`update enrollments set status = 'dropped' where user_id = ${roster.learner.id}`),
    );
    expect(members).toEqual([
      {
        user_id: roster.subject,
        status: "Deleted",
        roles: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
      },
    ]);
  });

  it("have people who were promoted from the waiting list", async () => {
    const roster = await openRoster();
    const { id } = await make.person();
    await make.enrollment(id, roster.offering.id, "WAITLISTED");
    const members = await changesAfter(roster, () =>
      run(sql`update enrollments set status = 'active' where user_id = ${id}`),
    );
    expect(members).toMatchObject([{ status: "Active" }]);
  });

  it.each([
    [
      "suspended",
      (one: Roster) =>
        run(sql`
      update university_members set is_active = false
      where user_id = ${one.learner.id} and university_id = ${one.university.id}`),
    ],
    [
      "deactivated",
      (one: Roster) => run(sql`update users set is_active = false where id = ${one.learner.id}`),
    ],
  ])("have people who are %s, and later restored", async (_, stop) => {
    const roster = await openRoster();
    const { differences } = await roster.read(roster.address);
    await settle();
    await stop(roster);
    const stopped = await roster.read(differences);
    expect(stopped.members).toEqual([
      expect.objectContaining({ user_id: roster.subject, status: "Inactive" }),
    ]);
    expect(stopped.members[0]).not.toHaveProperty("name");
    expect((await roster.read(roster.address)).members).toEqual([]);
    await settle();
    await run(sql`update university_members set is_active = true where user_id = ${roster.learner.id}`);
    await run(sql`update users set is_active = true where id = ${roster.learner.id}`);
    expect((await roster.read(stopped.differences)).members).toMatchObject([
      { user_id: roster.subject, status: "Active", name: roster.learner.full_name },
    ]);
  });

  it("have teachers who came, left or changed their role", async () => {
    const roster = await openRoster();
    const teach = () =>
      run(sql`
      insert into course_offering_instructors (course_offering_id, user_id)
      values (${roster.offering.id}, ${roster.teacher.id})`);
    const { differences } = await roster.read(roster.address);
    await settle();
    await teach();
    const came = await roster.read(differences);
    expect(came.members).toMatchObject([
      { status: "Active", roles: [expect.stringContaining("#Instructor")] },
    ]);
    await settle();
    await run(sql`delete from course_offering_instructors where user_id = ${roster.teacher.id}`);
    const left = await roster.read(came.differences);
    expect(left.members).toEqual([
      { user_id: came.members[0]?.user_id, status: "Deleted", roles: came.members[0]?.roles },
    ]);
    expect((await roster.read(`${came.differences}&role=Learner`)).members).toEqual([]);
  });

  it("have a teacher who came while another with the same role was there", async () => {
    const roster = await openRoster();
    const second = await make.holder("instructor", roster.university.id);
    const teach = (id: number) =>
      run(sql`
      insert into course_offering_instructors (course_offering_id, user_id) values (${roster.offering.id}, ${id})`);
    await teach(roster.teacher.id);
    const members = await changesAfter(roster, () => teach(second.id));
    expect(members).toMatchObject([{ status: "Active", name: second.full_name }]);
  });

  it("have people who erased their account", async () => {
    const roster = await openRoster();
    const members = await changesAfter(roster, () =>
      run(sql`
        update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
                         search_text = null, erased_at = now() where id = ${roster.learner.id}`),
    );
    expect(members).toMatchObject([{ user_id: roster.subject, status: "Deleted" }]);
  });

  it("have people who changed their name", async () => {
    const roster = await openRoster();
    const members = await changesAfter(roster, () =>
      world.as(roster.learner).put("/users/me", { full_name: "Ada Lovelace" }),
    );
    expect(members).toMatchObject([{ status: "Active", name: "Ada Lovelace" }]);
  });

  it("are only for the tool and offering that read the roster, for 30 days", async () => {
    const roster = await openRoster();
    const { differences } = await roster.read(roster.address);
    const since = new URL(differences).searchParams.get("since");
    const other = await registerTool(world, roster.admin, roster.university.id);
    const stranger = await toolServer(world, other);
    expect((await stranger.get(differences)).status).toBe(400);
    const run2 = await make.offering(roster.course);
    const elsewhere = roster.address.replace(`/${roster.offering.id}/`, `/${run2.id}/`);
    expect((await roster.server.get(`${elsewhere}?since=${since}`)).status).toBe(400);
    expect((await roster.server.get(`${roster.address}?since=nonsense`)).status).toBe(400);
    world.setNow("2026-04-09T12:00:01.000Z");
    const again = await toolServer(world, roster.tool);
    expect((await again.get(differences)).status).toBe(400);
  });

  it("do not exist for a roster with too many staff", async () => {
    const roster = await openRoster();
    await run(sql`
      with people as (
        insert into users (email, full_name) select 'staff' || n || ${`@${roster.university.id}.example.edu`}::text, 'Staff'
        from generate_series(1, ${maxRosterSnapshotMembers + 1}::int) as n returning id
      )
      insert into offering_staff (course_offering_id, university_id, user_id, role, source)
      select ${roster.offering.id}, ${roster.university.id}, id, 'ta', 'roster' from people`);
    const { members, differences } = await roster.read(roster.address);
    expect([members.length, differences]).toEqual([maxRosterSnapshotMembers + 2, ""]);
  });
});
