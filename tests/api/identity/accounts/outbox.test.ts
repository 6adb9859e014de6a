import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { createMailComposer } from "../../../../lib/operations/mail/compose-mail.ts";
import { sendDueMail } from "../../../../lib/platform/mail/outbox.ts";
import { pruneMail } from "../../../../lib/platform/mail/retention.ts";
import { chooseMailTransport } from "../../../../lib/platform/mail/transport.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { startSmtpStandIn } from "../../../support/smtp-stand-in.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function register() {
  const email = `${make.unique("mailed")}@example.edu`;
  await world.as().post("/auth/register", { email, password: "p", full_name: "Ada" });
  return email;
}

const row = async (address: string) => {
  const { rows } = await world.deps.db.execute(
    sql`select tries, ended_at is not null as ended, failure from mail_outbox where address = ${address}`,
  );
  return rows[0];
};

const later = (minutes: number) => world.setNow(new Date(world.deps.now().getTime() + minutes * 60_000));

describe("mail", () => {
  it("is sent once by concurrent workers", async () => {
    const mailbox = mailboxOf(world);
    const addresses = await Promise.all(Array.from({ length: 12 }, register));
    await Promise.all(Array.from({ length: 6 }, () => mailbox.send()));
    expect(mailbox.mails.map(({ to }) => to).toSorted()).toEqual(addresses.toSorted());
  });

  it("is retried after a worker's death, once the lease has expired", async () => {
    const address = await register();
    const { db, now, log } = world.deps;
    const { promise: sending, resolve: startSending } = Promise.withResolvers<void>();
    const send = () => {
      startSending();
      return new Promise<never>(() => {});
    };
    const dying = { send, close: () => {} };
    void sendDueMail({ db, now, log, compose: createMailComposer(world.deps), transport: dying });
    // Composing locks the row, and others would skip it.
    await sending;
    expect(await row(address)).toMatchObject({ tries: 1, ended: false });
    const mailbox = mailboxOf(world);
    await mailbox.send();
    expect(mailbox.mails).toEqual([]);
    later(5);
    await mailbox.send();
    expect(mailbox.mails.map(({ to }) => to)).toEqual([address]);
    expect(await row(address)).toEqual({ tries: 2, ended: true, failure: null });
  });

  it("that fails is tried again, later each time, and given up after eight tries", async () => {
    const address = await register();
    const mailbox = mailboxOf(world);
    mailbox.fail(true);
    expect(await mailbox.send()).toEqual({ sent: 0, failed: 1 });
    expect(await mailbox.send()).toEqual({ sent: 0, failed: 0 });
    for (const minutes of [1, 2, 4, 8, 16, 32, 64]) {
      later(minutes);
      expect(await mailbox.send()).toEqual({ sent: 0, failed: 1 });
    }
    expect(await row(address)).toEqual({ tries: 8, ended: true, failure: "ECONNECTION" });
    const told = JSON.stringify(world.log);
    expect(told).toContain('"mail given up"');
    expect(told).not.toContain(address);
  });

  it("arrives after a failure that passed", async () => {
    const address = await register();
    const mailbox = mailboxOf(world);
    mailbox.fail(true);
    await mailbox.send();
    mailbox.fail(false);
    later(1);
    await mailbox.send();
    expect(mailbox.mails.map(({ to }) => to)).toEqual([address]);
  });

  it("to a waiting user is sent before class mail", async () => {
    const at = world.deps.now().toISOString();
    await world.deps.db.execute(sql`
      insert into mail_outbox (kind, address, created_at, due_at)
      select 'notifications', 'classmate' || number || '@example.edu', ${at}, ${at}::timestamptz - interval '1 hour'
      from generate_series(1, 20) as number`);
    const address = await register();
    const { db, now, log } = world.deps;
    const sent: string[] = [];
    const transport = { send: async () => undefined, close: () => {} };
    const compose = async (mail: { address: string }) => {
      sent.push(mail.address);
      return undefined;
    };
    await sendDueMail({ db, now, log, compose, transport });
    // It is in the first leased batch.
    expect(sent.slice(0, 5)).toContain(address);
    expect(sent).toHaveLength(21);
  });

  it("leaves nothing in the outbox a day after it has ended", async () => {
    const address = await register();
    const mailbox = mailboxOf(world);
    await mailbox.send();
    const { signal } = new AbortController();
    later(24 * 60 - 1);
    await pruneMail(world.deps, signal);
    expect(await row(address)).toBeDefined();
    later(2);
    await pruneMail(world.deps, signal);
    expect(await row(address)).toBeUndefined();
  });

  it("leads to the web application, with the token invisible to servers", async () => {
    const address = await register();
    const mailbox = mailboxOf(world);
    await mailbox.send();
    const { text } = mailbox.mails.find(({ to }) => to === address) ?? { text: "" };
    expect(text).toMatch(/^http:\/\/localhost:3000\/app#\/verify-email\?token=[\w-]{43}$/m);
  });
});

describe("without a mail server", () => {
  it("mail is written to a folder that only its owner reads, and the file is reported", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "mail-"));
    const transport = chooseMailTransport({
      MAIL_FROM: "L <l@example.edu>",
      MAIL_FOLDER: folder,
      SMTP_URL: undefined,
      ENVIRONMENT: "development",
      onLambda: false,
    });
    if (!transport) throw new Error("there is no transport");
    const address = await register();
    const told: (string | undefined)[] = [];
    const { db, now, log } = world.deps;
    const onSent = (_: unknown, file?: string) => void told.push(file);
    await sendDueMail({ db, now, log, compose: createMailComposer(world.deps), transport, onSent });
    expect(told).toHaveLength(1);
    const [file = ""] = told;
    expect(await readdir(folder)).toEqual([path.basename(file)]);
    expect((await stat(file)).mode & 0o077).toBe(0);
    const written = await readFile(file, "utf8");
    expect(written).toContain(`To: ${address}`);
    expect(written).toContain("From: L <l@example.edu>");
    await rm(folder, { recursive: true });
  });

  it("a function keeps mail waiting, and so does production", () => {
    const unset = { MAIL_FROM: "", MAIL_FOLDER: "", SMTP_URL: undefined };
    expect(chooseMailTransport({ ...unset, ENVIRONMENT: "development", onLambda: true })).toBeUndefined();
    expect(chooseMailTransport({ ...unset, ENVIRONMENT: "production", onLambda: false })).toBeUndefined();
  });
});

describe("with a mail server", () => {
  it("mail is sent by it", async () => {
    const smtp = await startSmtpStandIn();
    const transport = chooseMailTransport({
      MAIL_FROM: "L <l@example.edu>",
      MAIL_FOLDER: "",
      SMTP_URL: smtp.url,
      ENVIRONMENT: "production",
      onLambda: true,
    });
    if (!transport) throw new Error("there is no transport");
    const address = await register();
    const { db, now, log } = world.deps;
    expect(await sendDueMail({ db, now, log, compose: createMailComposer(world.deps), transport })).toEqual({
      sent: 1,
      failed: 0,
    });
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain(`To: ${address}`);
    transport.close();
    await smtp.close();
  });
});

describe("mail of several networks", () => {
  type Noted = { kind?: string; network?: string; person?: number; count: number };

  async function note(name: string, { kind = "invitation", network, person, count }: Noted): Promise<void> {
    await world.deps.db.execute(sql`
      insert into mail_outbox (kind, address, created_at, due_at, from_network, from_person)
      select ${kind}, ${name} || n || '@example.edu', ${world.deps.now().toISOString()},
             ${world.deps.now().toISOString()}, ${network ?? null}, ${person ?? null}::int
      from generate_series(1, ${count}) as n order by n`);
  }

  /** Recipients in order of sending: the part of their name before the number. */
  async function sent(): Promise<string[]> {
    const names: string[] = [];
    const { db, now, log } = world.deps;
    const compose = async ({ address }: { address: string }) => ({ to: address, subject: "s", text: "t" });
    const transport = {
      send: async ({ to }: { to: string }) => void names.push(to.replace(/\d+@.*/, "")),
      close: () => {},
    };
    await sendDueMail({ db, now, log, compose, transport });
    return names;
  }

  const lastOf = (names: string[], name: string) => names.lastIndexOf(name) + 1;

  beforeEach(async () => {
    await world.deps.db.execute(sql`delete from mail_outbox`);
    later(60);
  });

  it("is sent in turns: a heavy sender only delays themselves", async () => {
    await note("flood", { network: "198.51.100.1", person: 1, count: 40 });
    await note("other", { network: "203.0.113.7", person: 2, count: 3 });
    await note("nobody", { count: 3 });
    const names = await sent();
    expect(names).toHaveLength(46);
    // Five are sent at a time, equally many per sender.
    expect(lastOf(names, "other")).toBeLessThanOrEqual(10);
    expect(lastOf(names, "nobody")).toBeLessThanOrEqual(10);
  });

  it("is sent in turns even if more networks flood than are served at a time", async () => {
    for (let n = 0; n < 8; n++)
      await note(`flood${"x".repeat(n)}`, { network: `198.51.100.${n}`, count: 10 });
    later(1);
    await note("other", { network: "203.0.113.7", count: 2 });
    const names = await sent();
    expect(names).toHaveLength(82);
    expect(lastOf(names, "other")).toBeLessThanOrEqual(25);
  });

  it("is sent in turns of the people of one network", async () => {
    await note("flood", { network: "198.51.100.1", person: 1, count: 40 });
    await note("neighbour", { network: "198.51.100.1", person: 2, count: 2 });
    const names = await sent();
    expect(lastOf(names, "neighbour")).toBeLessThanOrEqual(5);
  });

  it("is sent first if it has a link that a user waits for, and last if it is class mail", async () => {
    await note("class", { kind: "notifications", count: 7 });
    await note("flood", { network: "198.51.100.1", count: 7 });
    await note("reset", { kind: "password_reset", network: "198.51.100.1", count: 5 });
    const names = await sent();
    expect(new Set(names.slice(0, 5))).toEqual(new Set(["reset"]));
    expect(new Set(names.slice(5, 12))).toEqual(new Set(["flood"]));
    expect(new Set(names.slice(12))).toEqual(new Set(["class"]));
  });
});
