import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value, addUniversity } = openSession();

const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;
const said = (name: string, more: object = {}) =>
  `'${JSON.stringify({ user_name: name, external_id: name, email: `${name}@example.edu`, full_name: "Dee", is_active: true, attributes: { name: { givenName: "Dee" } }, ...more })}'::jsonb`;
const write = async (name: string, more: object = {}, record = "null") =>
  (
    await rows(`select outcome, (record).id, (record).user_id, (record).version
                from create_or_replace_scim_user(1, ${record}, ${said(name, more)}, null, 1, ${request})`)
  )[0] as { outcome: string; id: number; user_id: number; version: number };
const held = (person: number) =>
  column(`select role from user_university_roles where user_id = ${person} and university_id = 1 order by 1`);

it("create_or_replace_scim_user finds, creates, links and updates a record's person, and delete_scim_user revokes it", async () => {
  await rows("select lock_scim_address_at_university(1, 'dee@example.edu')");
  const dee = await write("dee");
  expect(dee).toMatchObject({ outcome: "written", version: 1, user_id: expect.any(Number) });
  expect(await held(dee.user_id)).toEqual(["student"]);
  const of = `from scim_users as record where id = ${dee.id}`;
  expect(await value(`select set_scim_record_person_unless_taken(${dee.id}, ${dee.user_id})`)).toBe(false);
  await rows(`select apply_scim_record_to_person(record, true, 1, ${request}) ${of}`);
  await rows(`select sync_roles_of_scim_records(1, array[${dee.id}], 1, ${request})`);
  expect(await write("dee", { is_active: false, email: "d@example.edu" }, String(dee.id))).toMatchObject({
    version: 2,
  });
  expect(await value(`select is_suspended(1, ${dee.user_id})`)).toBe(true);
  expect(await value(`select email from users where id = ${dee.user_id}`)).toBe("d@example.edu");
  expect(await write("dee", {}, "2147483647")).toMatchObject({ outcome: "missing" });
  expect(
    await column(
      "select scim_version_refusal(present, '{1}') from unnest(array[1, 2, null]) as present order by present",
    ),
  ).toEqual([null, "stale", "missing"]);
  expect(await value(`select delete_scim_user(1, ${dee.id}, '{7}', 1, ${request})`)).toBe("stale");
  expect(await value(`select delete_scim_user(1, ${dee.id}, null, 1, ${request})`)).toBe("deleted");
  expect(await value(`select delete_scim_user(1, ${dee.id}, null, 1, ${request})`)).toBe("missing");
  expect(await held(dee.user_id)).toEqual([]);
});

it("revoke_scim_invitation withdraws an offer, and link_scim_user_and_apply_record links a record to the acceptor", async () => {
  await rows("update users set email = 'eve@example.edu', email_verified_at = now() where id = 3");
  const eve = await write("eve");
  expect(eve.user_id).toBeNull();
  const open = "select count(*)::int from invitations where revoked_at is null and source = 'directory'";
  expect(await value(open)).toBe(1);
  await rows(
    `select revoke_scim_invitation(record, ${request}) from scim_users as record where id = ${eve.id}`,
  );
  expect(await value(open)).toBe(0);
  await rows(`select link_scim_user_and_apply_record(1, 'eve@example.edu', 3, 1, ${request})`);
  expect(await held(3)).toEqual(["student"]);
});

it("apply_scim_record_to_person changes the person's names in its own university only", async () => {
  await addUniversity();
  await rows(
    "insert into user_university_roles (user_id, university_id, role) select 3, id, 'student' from universities",
  );
  await rows("update users set email_verified_at = now() where id = 3");
  expect(await write("cyd")).toMatchObject({ user_id: 3 });
  expect(
    await rows("select given_name, source from university_members where user_id = 3 order by university_id"),
  ).toEqual([
    { given_name: "Dee", source: "directory" },
    { given_name: null, source: null },
  ]);
});

it("create_or_update_scim_group stores members, map_scim_group_to_role grants them a role, delete_scim_group revokes it", async () => {
  const fay = await write("fay");
  const group = async (wanted: object, id = "null") =>
    (
      await rows(`select outcome, (written).id, members
                  from create_or_update_scim_group(1, ${id}, '${JSON.stringify(wanted)}', null, true, 1, ${request})`)
    )[0] as { outcome: string; id: number; members: unknown };
  const made = await group({ display_name: "Staff", members: [fay.id] });
  expect(made.members).toEqual([{ value: String(fay.id) }]);
  expect(await value(`select members from scim_group_values where group_id = ${made.id}`)).toEqual(
    made.members,
  );
  await rows(`select map_scim_group_to_role(1, ${made.id}, 'ta', 1, ${request})`);
  expect(await held(fay.user_id)).toEqual(["ta"]);
  await rows(`select sync_roles_of_scim_records(1, '{}', 1, ${request})`);
  await group({ removed: [fay.id] }, String(made.id));
  expect(await held(fay.user_id)).toEqual(["student"]);
  await group({ added: [fay.id] }, String(made.id));
  expect(await value(`select delete_scim_group(1, ${made.id}, null, 1, ${request})`)).toBe("deleted");
  expect(await held(fay.user_id)).toEqual(["student"]);
  await expect(group({ display_name: "Staff", members: [2_147_483_647] })).rejects.toThrow("no such member");
});
