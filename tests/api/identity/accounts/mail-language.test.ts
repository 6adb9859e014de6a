import { expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

it("a mail is in the language of the account, which its person changes", async () => {
  const mailbox = mailboxOf(world);
  const ask = async (locale: string) => {
    const person = await make.person();
    expect((await world.as(person).put("/users/me", { locale })).body.locale).toBe(locale);
    await world.as().post("/auth/password-reset", { email: person.email });
    await mailbox.send();
    return mailbox.mails.findLast(({ to }) => to === person.email);
  };
  expect(await ask("de-AT")).toMatchObject({
    subject: "Setzen Sie ein neues Passwort",
    text: expect.stringMatching(
      /^Jemand, wahrscheinlich Sie, .*\n\nhttp.*token=[\w-]+\n\nWenn Sie es nicht waren/s,
    ),
  });
  expect((await ask("es"))?.subject).toBe("Elige una contraseña nueva");
  expect((await ask("fr"))?.subject).toBe("Set a new password");
});

it("moments are written as the language has them", async () => {
  const mailbox = mailboxOf(world);
  const email = `${make.unique("lucia")}@example.edu`;
  const body = { email, password: "correct horse", full_name: "Lucía", locale: "es" };
  expect((await world.as().post("/auth/register", body)).status).toBe(201);
  await mailbox.send();
  const mail = mailbox.mails.findLast(({ to }) => to === email);
  expect(mail?.subject).toBe("Confirma tu dirección de correo");
  expect(mail?.text).toMatch(new RegExp(`^La cuenta de ${email} se creó el \\d+ de \\w+ de \\d{4} a las `));
});

it("a person without an account is invited in the inviter's language, and with one in their own", async () => {
  const mailbox = mailboxOf(world);
  const { id } = await make.university();
  const admin = await make.holder("university_admin", id);
  await world.as(admin).put("/users/me", { locale: "de" });
  const known = await make.person({ locale: "es" });
  const stranger = `${make.unique("stranger")}@example.edu`;
  for (const email of [stranger, known.email ?? ""])
    await world.as(admin).post(`/universities/${id}/invitations`, { email, role: "TA" });
  await mailbox.send();
  const to = (address: string | null) => mailbox.mails.findLast((mail) => mail.to === address);
  expect(to(stranger)).toMatchObject({
    subject: "Sie sind eingeladen",
    text: expect.stringContaining("Angeboten wird Ihnen: die Rolle Lehrassistenz an einer Universität."),
  });
  expect(to(known.email)?.subject).toBe("Tienes una invitación");
});
