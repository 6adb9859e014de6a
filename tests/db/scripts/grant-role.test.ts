import { describe, expect, it } from "vitest";
import { grantRoleTo } from "../../../scripts/ops/grant-role.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const grant = (email?: string, role?: string, shortCode?: string) =>
  grantRoleTo(world.deps.db, { email, role, shortCode });

describe("grant-role", () => {
  it("makes the first platform administrator, and the university PLATFORM for them", async () => {
    const person = await make.person();
    const said = await grant(person.email.toUpperCase(), "platform_admin");
    expect(said).toBe(`${person.email} is platform_admin of Platform administration (PLATFORM) now`);
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
      `${person.email} is instructor of ${university.name} (${university.short_code}) now`,
    );
  });

  it("says what is wrong, and grants nothing", async () => {
    const { email } = await make.person();
    await expect(grant()).rejects.toThrow(/^Usage/);
    await expect(grant(email)).rejects.toThrow(/^Usage/);
    await expect(grant(email, "emperor")).rejects.toThrow("There is no role 'emperor'");
    await expect(grant(email, "instructor")).rejects.toThrow("needs a university");
    await expect(grant(email, "instructor", "NOWHERE")).rejects.toThrow(
      "No university has the short code NOWHERE",
    );
    await expect(grant("nobody@example.edu", "platform_admin")).rejects.toThrow("register it first");
  });
});
