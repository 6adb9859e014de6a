import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

it("a profile is the person's own, without the password", async () => {
  const person = await make.person({ password_hash: "kept to itself" });
  const { status, body } = await world.as(person).get("/users/me");
  expect(status).toBe(200);
  expect(body).toEqual({
    id: person.id,
    email: person.email,
    full_name: person.full_name,
    email_verified_at: null,
    is_active: true,
    locale: "en",
    time_zone: "UTC",
    tutor_sees_results: false,
    current_streak_days: 0,
    last_activity_date: null,
    created_at: person.created_at,
    avatar_url: null,
    sign_in: { university_id: null, course_offering_id: null, reaches_account: true, withheld: [] },
  });
  expect((await world.as().get("/users/me")).body).toEqual({ detail: "Could not validate credentials" });
  const inactive = await make.person({ is_active: false });
  const refused = await world.as(inactive).get("/users/me");
  expect([refused.status, refused.body.detail]).toEqual([403, "Inactive user"]);
});

it("a person changes their name, locale and time zone, and nothing else", async () => {
  const person = await make.person();
  const client = world.as(person);
  const changed = await client.put("/users/me", {
    full_name: " Ada ",
    locale: "pt-BR",
    time_zone: "America/Sao_Paulo",
    email: "other@example.edu",
    is_active: false,
    current_streak_days: 99,
  });
  const own = { email: person.email, is_active: true, current_streak_days: 0 };
  expect(changed.body).toMatchObject({
    full_name: "Ada",
    locale: "pt-BR",
    time_zone: "America/Sao_Paulo",
    ...own,
  });
  for (const query of ["", "?looks=true"]) {
    const read = (await client.get(`/users/me${query}`)).body;
    expect((await client.put(`/users/me${query}`, {})).body).toEqual(read);
    expect((await client.put(`/users/me${query}`, { full_name: read.full_name })).body).toEqual(read);
  }
  expect((await client.put("/users/me", {})).body).toEqual(changed.body);
  expect((await client.get("/users/me")).body).toEqual(changed.body);
});

it("a locale is a language tag, and a time zone one of the IANA database", async () => {
  const client = world.as(await make.person());
  for (const wrong of [
    { locale: "not_a_tag" },
    { time_zone: "Mars/Olympus" },
    { time_zone: "+01:00" },
    { time_zone: "AET" },
    { full_name: " " },
    { tutor_sees_results: "yes" },
    { tutor_sees_results: null },
    { full_name: null },
    { locale: null },
  ]) {
    const reply = await client.put("/users/me", wrong);
    expect(reply.status).toBe(422);
    expect(reply.body.detail[0].loc).toEqual(["body", ...Object.keys(wrong)]);
  }
});
