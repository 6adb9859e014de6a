import { describe, expect, it } from "vitest";
import type { Reply } from "../../../support/client.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { operations } from "../../../support/operations.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({ PASSWORD_REJECT_COMMON: "true" });
const make = makersOf(world);
const mailbox = mailboxOf(world);

const full_name = "Zephyrine Quillfeather";
const old = "correct horse";

type Set = (password: string) => Promise<Reply>;

async function signedUp() {
  const email = `${make.unique("owner")}@example.edu`;
  const { body } = await world.as().post("/auth/register", { email, password: old, full_name });
  return { email, headers: { authorization: `Bearer ${body.access_token}` } };
}

/** Each field of a new password, sent by a person who has a link or a session for it. */
const ways: Record<string, () => Promise<Set>> = {
  "register.password": async () => {
    const email = `${make.unique("new")}@example.edu`;
    return (password) => world.as().post("/auth/register", { email, password, full_name });
  },
  "registerWithOnboarding.password": async () => {
    const email = `${make.unique("new")}@example.edu`;
    return (password) => world.as().post("/auth/register-with-onboarding", { email, password, full_name });
  },
  "changeMyPassword.new_password": async () => {
    const { headers } = await signedUp();
    return (new_password) =>
      world.as().post("/users/me/password", { current_password: old, new_password }, { headers });
  },
  "confirmPasswordReset.new_password": async () => {
    const { email } = await make.person({ full_name });
    await world.as().post("/auth/password-reset", { email });
    const token = await mailbox.tokenFor(email);
    return (new_password) => world.as().post("/auth/password-reset/confirm", { token, new_password });
  },
  "verifyEmail.password": async () => {
    const { email } = await signedUp();
    const token = await mailbox.tokenFor(email);
    return (password) => world.as().post("/auth/verify-email", { token, password });
  },
  "acceptInvitationAnew.password": async () => {
    const university = await make.university();
    const admin = await make.holder("university_admin", university.id);
    const email = `${make.unique("invited")}@example.edu`;
    await world.as(admin).post(`/universities/${university.id}/invitations`, { email, role: "STUDENT" });
    const token = await mailbox.tokenFor(email);
    return (password) => world.as().post("/auth/invitations/accept", { token, full_name, password });
  },
};

/** Fields of a password that the account has. */
const current = [
  ...["changeMyEmail.current_password", "changeMyPassword.current_password"],
  ...["eraseMyAccount.password", "login.password"],
];

const rejected = (field: string, msg: string) => ({
  status: 422,
  body: { detail: [{ loc: ["body", field], msg, type: "value_error" }] },
});

describe("a new password, with PASSWORD_REJECT_COMMON", () => {
  it("is sent in these fields only", () => {
    const fields = operations.flatMap(({ contract, body }) =>
      Object.keys(body?.properties ?? {})
        .filter((name) => name.includes("password"))
        .map((name) => `${contract.id}.${name}`),
    );
    expect(fields.toSorted()).toEqual([...current, ...Object.keys(ways)].toSorted());
  });

  it.each(Object.entries(ways))("is neither common nor the person's name: %s", async (name, open) => {
    const field = name.split(".").at(-1) ?? "";
    const set = await open();
    for (const password of ["password", "Dragon2026!", "p@ssw0rd", "aaaaaaaaaaaa"])
      expect(await set(password), password).toMatchObject(
        rejected(field, "Password should not be a common one"),
      );
    for (const password of ["quillfeather1", "Ramavia-2026"])
      expect(await set(password), password).toMatchObject(
        rejected(field, "Password should contain more than names, addresses or words of this service"),
      );
    // The link or session is still valid.
    expect((await set("battery staple")).status).toBeLessThan(300);
  });

  it("is not the name of a university of the person", async () => {
    const university = await make.university({ name: "Northgate College" });
    const { email } = await make.holder("student", university.id);
    await world.as().post("/auth/password-reset", { email });
    const token = await mailbox.tokenFor(email);
    const set = (new_password: string) =>
      world.as().post("/auth/password-reset/confirm", { token, new_password });
    expect((await set("Northgate-1871")).status).toBe(422);
    expect((await set("Southgate-1871")).status).toBe(204);
  });

  it("is checked after the link, so guesses of links learn nothing about a person", async () => {
    const tried = { token: "never-made", new_password: "password" };
    expect((await world.as().post("/auth/password-reset/confirm", tried)).status).toBe(400);
  });
});

describe("a new password, by default", () => {
  const usual = openWorld();

  it("may be any", async () => {
    const account = { email: "any@example.edu", password: "password", full_name };
    expect((await usual.as().post("/auth/register", account)).status).toBe(201);
  });
});
