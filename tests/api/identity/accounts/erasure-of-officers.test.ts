import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const fresh = () => Math.floor(world.deps.now().getTime() / 1000);
const erase = (person: { id: number }) =>
  world.as({ ...person, signed_in_at: fresh() }).request("DELETE", "/users/me", {});

it("officers who erase themselves keep a name in the audit log for acts on others, and nowhere else", async () => {
  const university = await make.university();
  const rogue = await make.holder("university_admin", university.id);
  const other = await make.holder("university_admin", university.id);
  const accomplice = await make.holder("student", university.id);
  const grant = { user_id: accomplice.id, role: "UNIVERSITY_ADMIN" };
  expect((await world.as(rogue).post(`/universities/${university.id}/roles`, grant)).status).toBe(201);
  expect((await erase(rogue)).status).toBe(204);
  const { body } = await world
    .as(other)
    .get(`/admin/audit?university_id=${university.id}&action=role.granted`);
  expect(body).toMatchObject([
    {
      actor_id: rogue.id,
      actor_name: rogue.full_name,
      actor_former_email: rogue.email,
      subject_id: accomplice.id,
      subject_former_email: null,
    },
  ]);
  expect((await world.as(other).get(`/users/${rogue.id}`)).status).toBe(404);
});

it("the last administrator of a university stays until there is another, also of two who leave concurrently", async () => {
  const university = await make.university();
  const [first, second] = [
    await make.holder("university_admin", university.id),
    await make.holder("university_admin", university.id),
  ];
  const replies = await Promise.all([erase(first), erase(second)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 400]);
});
