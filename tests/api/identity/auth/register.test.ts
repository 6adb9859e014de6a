import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { subjects } from "../../../../schema/db/courses/subjects.ts";
import { userProfiles, userSubjectPreferences } from "../../../../schema/db/identity/profiles.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const registration = (email = `${make.unique("new")}@example.edu`) => ({
  email,
  password: "correct horse",
  full_name: "Ada Lovelace",
});

const accountsOf = (email: string) => world.deps.db.select().from(users).where(eq(users.email, email));

describe("POST /auth/register", () => {
  it("creates the account and answers its tokens", async () => {
    const body = registration();
    const reply = await world.as().post("/auth/register", body);
    expect(reply.status).toBe(201);
    expect(reply.body.token_type).toBe("bearer");
    const [account] = await accountsOf(body.email);
    expect(account).toMatchObject({
      full_name: "Ada Lovelace",
      locale: "en",
      time_zone: "UTC",
      is_active: true,
    });
    expect(account?.password_hash).toMatch(/^\$2[ab]\$04\$/);
  });

  it("sets the three cookies", async () => {
    const reply = await world.as().post("/auth/register", registration());
    const cookies = reply.headers.getSetCookie();
    expect(cookies).toHaveLength(3);
    const [access, refresh, sign] = cookies;
    for (const cookie of [access, refresh]) {
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).not.toMatch(/Domain/);
    }
    expect(access).toContain(`app_access_token=${reply.body.access_token}; Max-Age=1800; Path=/`);
    expect(refresh).toContain(`app_refresh_token=${reply.body.refresh_token}; Max-Age=604800; Path=/`);
    expect(sign).toBe("logged_in=1; Max-Age=604800; Path=/; Secure; SameSite=Lax");
  });

  it("trims and lowercases the address, which is unique without regard to case", async () => {
    const name = make.unique("Mixed").toLowerCase();
    const email = `${name}@example.edu`;
    expect(
      (await world.as().post("/auth/register", registration(` ${name.toUpperCase()}@Example.EDU `))).status,
    ).toBe(201);
    const again = await world.as().post("/auth/register", registration(email));
    expect(again.status).toBe(400);
    expect(again.body).toEqual({ detail: "Email already registered" });
  });

  it("50 concurrent registrations of one address: one 201, forty-nine 400", async () => {
    const body = registration();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => world.as().post("/auth/register", body)),
    );
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 400)]);
    expect(await accountsOf(body.email)).toHaveLength(1);
  });

  it.each([
    [{}, ["email", "password", "full_name"], "missing"],
    [{ ...registration("a@b.edu"), email: "not an address" }, ["email"], "value_error"],
    [{ ...registration("a@b.edu"), password: "" }, ["password"], "string_too_short"],
    [{ ...registration("a@b.edu"), full_name: "  " }, ["full_name"], "string_too_short"],
    [{ ...registration("a@b.edu"), full_name: "x".repeat(256) }, ["full_name"], "string_too_long"],
    [{ ...registration("a@b.edu"), time_zone: "Mars/Olympus" }, ["time_zone"], "value_error"],
    [{ ...registration("a@b.edu"), locale: "not a locale" }, ["locale"], "value_error"],
    [{ ...registration("a@b.edu"), full_name: "A\u0000B" }, ["full_name"], "value_error"],
  ])("refuses %j with a 422 that names each field", async (body, fields, type) => {
    const reply = await world.as().post("/auth/register", body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail.map((fault: { loc: string[] }) => fault.loc)).toEqual(
      fields.map((field) => ["body", field]),
    );
    expect(reply.body.detail[0].type).toBe(type);
  });
});

describe("POST /auth/register-with-onboarding", () => {
  it("stores the profile and the preferences with the account", async () => {
    const [subject] = await world.deps.db
      .insert(subjects)
      .values({ name: "Optics", code: make.unique("optics") })
      .returning();
    const body = {
      ...registration(),
      profile: { date_of_birth: "2001-02-03", learning_goal: "See", study_level: "BSc", grade: "A" },
      subject_preferences: [subject?.id, subject?.id],
    };
    expect((await world.as().post("/auth/register-with-onboarding", body)).status).toBe(201);
    const [account] = await accountsOf(body.email);
    const { db } = world.deps;
    const profile = await db
      .select()
      .from(userProfiles)
      .where(eq(userProfiles.user_id, account?.id ?? 0));
    expect(profile).toMatchObject([body.profile]);
    const preferences = await db
      .select()
      .from(userSubjectPreferences)
      .where(eq(userSubjectPreferences.user_id, account?.id ?? 0));
    expect(preferences).toHaveLength(1);
  });

  it("works without a profile or preferences", async () => {
    expect((await world.as().post("/auth/register-with-onboarding", registration())).status).toBe(201);
  });

  it("an unknown subject is a 400 that names it, and nothing is created", async () => {
    const body = { ...registration(), subject_preferences: [2_000_000_000] };
    const reply = await world.as().post("/auth/register-with-onboarding", body);
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain("2000000000");
    expect(await accountsOf(body.email)).toHaveLength(0);
  });

  it.each(["2026-03-10", "2999-01-01", "not a date", "2001-02-30"])(
    "rejects the birthday %s",
    async (date_of_birth) => {
      const reply = await world
        .as()
        .post("/auth/register-with-onboarding", { ...registration(), profile: { date_of_birth } });
      expect(reply.status).toBe(422);
      expect(reply.body.detail[0].loc).toEqual(["body", "profile", "date_of_birth"]);
    },
  );
});

describe("POST /auth/check-email", () => {
  it("distinguishes a free address from a taken one, ignoring case", async () => {
    const body = registration();
    expect((await world.as().post("/auth/check-email", { email: body.email })).body).toEqual({
      available: true,
    });
    await world.as().post("/auth/register", body);
    const taken = await world.as().post("/auth/check-email", { email: ` ${body.email.toUpperCase()}` });
    expect(taken.body).toEqual({ available: false });
  });
});
