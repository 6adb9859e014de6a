import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { invitations } from "../../../schema/db/courses/invitations.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { mailOutbox } from "../../../schema/db/platform/mail.ts";
import { grantRoleTo } from "../../../scripts/ops/grant-role.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const grant = (email?: string, role?: string, shortCode?: string) =>
  grantRoleTo(
    world.deps.db,
    { email, role, shortCode },
    { config: world.deps.config, now: world.deps.now() },
  );

describe("grant-role", () => {
  it("makes the first platform administrator, and the university PLATFORM for them", async () => {
    const person = await make.person();
    const said = await grant(person.email.toUpperCase(), "platform_admin");
    expect(said).toBe(`${person.email} is now platform_admin of Platform administration (PLATFORM)`);
    const country = await world.as(person).post("/universities/", {
      name: "Made by an administrator",
      short_code: make.unique("U"),
      country_id: (await make.country()).id,
    });
    expect(country.status).toBe(201);
  });

  it("changes nothing the second time", async () => {
    const person = await make.person();
    await grant(person.email, "platform_admin");
    expect(await grant(person.email, "PLATFORM_ADMIN")).toMatch(/already$/);
  });

  it("grants any role in a named university", async () => {
    const [person, university] = [await make.person(), await make.university()];
    expect(await grant(person.email, "instructor", university.short_code)).toBe(
      `${person.email} is now instructor of ${university.name} (${university.short_code})`,
    );
  });

  it("grants and offers nothing at an inactive university, and reports existing roles", async () => {
    const { id, short_code } = await make.university();
    const [teacher, other] = [await make.holder("instructor", id), await make.person()];
    await world.deps.db.update(universities).set({ is_active: false }).where(eq(universities.id, id));
    for (const email of [other.email, `${make.unique("first")}@example.edu`])
      await expect(grant(email, "instructor", short_code)).rejects.toThrow("is inactive");
    expect(await grant(teacher.email, "instructor", short_code)).toMatch(/already$/);
    expect(await world.deps.db.$count(invitations, eq(invitations.university_id, id))).toBe(0);
  });

  it("reports invalid input, and grants nothing", async () => {
    const { email } = await make.person();
    await expect(grant()).rejects.toThrow(/^Usage/);
    await expect(grant(email)).rejects.toThrow(/^Usage/);
    await expect(grant(email, "emperor")).rejects.toThrow("Unknown role 'emperor'");
    await expect(grant(email, "instructor")).rejects.toThrow("needs a university");
    await expect(grant(email, "instructor", "NOWHERE")).rejects.toThrow(
      "No university has the short code NOWHERE",
    );
    await expect(grant("nobody", "platform_admin")).rejects.toThrow("'nobody' is not an e-mail address");
  });

  it("offers the role to an address without an account, and the user of the last link gets it on acceptance", async () => {
    const email = `${make.unique("first")}@example.edu`;
    const linkOf = async () => /token=(\S+)$/.exec(await grant(email, "platform_admin"))?.[1] ?? "";
    const first = await linkOf();
    const last = await linkOf();
    const accept = (token: string) =>
      world.as().post("/auth/invitations/accept", { token, full_name: "Ada", password: "correct horse" });
    expect((await accept(first)).status).toBe(400);
    // Only this mail has the link.
    const waiting = await world.deps.db.$count(mailOutbox, eq(mailOutbox.address, email));
    expect(waiting).toBe(0);
    const joined = await accept(last);
    expect(joined.status).toBe(201);
    const headers = { authorization: `Bearer ${joined.body.access_token}` };
    const made = await world.as().request(
      "POST",
      "/universities/",
      {
        ...{ name: "First", short_code: make.unique("U"), country_id: (await make.country()).id },
      },
      { headers },
    );
    expect(made.status).toBe(201);
    expect((await accept(last)).status).toBe(400);
    expect(await grant(email, "platform_admin")).toMatch(/already$/);
  });

  it("creates an offer that is valid for seven days", async () => {
    const [email, university] = [`${make.unique("late")}@example.edu`, await make.university()];
    const said = await grant(email, "university_admin", university.short_code);
    expect(said).toContain(
      `as university_admin of ${university.name} (${university.short_code}). It is valid for seven days`,
    );
    const token = /token=(\S+)$/.exec(said)?.[1] ?? "";
    const now = world.deps.now();
    world.setNow(new Date(now.getTime() + 7 * 24 * 60 * 60 * 1000 + 1000).toISOString());
    const late = await world
      .as()
      .post("/auth/invitations/accept", { token, full_name: "Ada", password: "correct horse" });
    expect(late.status).toBe(400);
    world.setNow(now.toISOString());
  });
});
