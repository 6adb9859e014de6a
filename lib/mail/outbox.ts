/*
 * No request waits for mail: a statement leaves a row in `mail_outbox`, and whoever runs the schedule or the server
 * sends it. Whoever sends a row holds its lease, taken by a conditional update; one that dies with it leaves the row to
 * be taken again, so that a mail is sent at least once, and in that seldom case twice. After a failure it is tried
 * again, later each time, eight times within some two hours; then it is given up, and the log says so. What has ended is
 * removed after a day.
 */
import { sql } from "drizzle-orm";
import * as z from "zod";
import { mailKinds } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import type { Logger } from "../log.ts";
import type { ComposeMail, DueMail, MailTransport } from "./message.ts";

const mostTries = 8;
/** As many are leased at once as one mail server that just does not answer leaves time for. */
const atOnce = 5;
const leaseSeconds = 300;

const LeasedMail = z.object({
  id: z.int(),
  kind: z.enum(mailKinds),
  address: z.string(),
  user_id: z.int().nullable(),
  tries: z.int(),
});
type LeasedMail = z.output<typeof LeasedMail>;

export type MailSender = {
  db: Db;
  now: () => Date;
  log: Logger;
  compose: ComposeMail;
  transport: MailTransport;
  /** Told of each mail that was sent, with its file where it was written to one. */
  onSent?: ((mail: DueMail, file: string | undefined) => void) | undefined;
};

/** How many mails were sent, and tried in vain. */
export type MailCounts = { sent: number; failed: number };

/** Sends what is due, until nothing is or the signal stops it. */
export async function sendDueMail(sender: MailSender, signal?: AbortSignal): Promise<MailCounts> {
  const counts: MailCounts = { sent: 0, failed: 0 };
  while (!signal?.aborted) {
    const leased = await leaseMail(sender);
    for (const mail of leased) {
      // What is left of these is taken again when its lease has ended.
      if (signal?.aborted) return counts;
      counts[(await trySending(sender, mail)) ? "sent" : "failed"] += 1;
    }
    if (leased.length < atOnce) break;
  }
  return counts;
}

/** What is due, first what someone waits for, then what a class is told; each in the order in which it was noted. */
async function leaseMail({ db, now }: MailSender): Promise<LeasedMail[]> {
  const moment = now().toISOString();
  const statement = sql`
    with removed as (
      delete from mail_outbox where ended_at < ${moment}::timestamptz - interval '1 day'
    ), expired as (
      delete from one_time_tokens where expires_at < ${moment}::timestamptz
    )
    update mail_outbox
    set tries = tries + 1, lease_until = ${moment}::timestamptz + make_interval(secs => ${leaseSeconds})
    where id in (
      select id from mail_outbox
      where ended_at is null and due_at <= ${moment} and (lease_until is null or lease_until <= ${moment})
      order by (kind = 'notifications'), due_at, id limit ${atOnce} for update skip locked)
    returning id::double precision as id, kind, address, user_id, tries`;
  return (await rowsOf(db, LeasedMail, statement)).toSorted((one, other) => one.id - other.id);
}

async function trySending(sender: MailSender, mail: LeasedMail): Promise<boolean> {
  try {
    const message = await sender.compose(mail);
    const file = message && (await sender.transport.send(message));
    if (message) sender.onSent?.(mail, file);
    await endMail(sender, mail, message ? null : "nothing to say");
    return true;
  } catch (error) {
    // A mail server may repeat the address in its words: only the kind of the failure is kept.
    const failure = failureOf(error);
    const isLast = mail.tries >= mostTries;
    sender.log.warn(
      { mail: mail.id, kind: mail.kind, failure, tries: mail.tries },
      isLast ? "mail given up" : "mail not sent",
    );
    await (isLast ? endMail(sender, mail, failure) : postponeMail(sender, mail, failure));
    return false;
  }
}

const failureOf = (error: unknown): string => {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [code, responseCode].filter(Boolean).join(" ") || (error instanceof Error ? error.name : "unknown");
};

/** When the next of what waits is to be tried; undefined while nothing waits. */
export async function nextMailDue(db: Db): Promise<Date | undefined> {
  const statement = sql`
    select (extract(epoch from min(greatest(due_at, coalesce(lease_until, due_at)))) * 1000)::float8 as due
    from mail_outbox where ended_at is null`;
  const [next] = await rowsOf(db, NextDue, statement);
  return next?.due == null ? undefined : new Date(next.due);
}

const NextDue = z.object({ due: z.number().nullable() });

/** Of a lease that has passed on by now, the number of tries is another, and nothing is changed. */
const isStillHeld = ({ id, tries }: LeasedMail) => sql`id = ${id} and tries = ${tries} and ended_at is null`;

async function endMail({ db, now }: MailSender, mail: LeasedMail, failure: string | null): Promise<void> {
  await db.execute(sql`
    update mail_outbox set ended_at = ${now().toISOString()}, lease_until = null, failure = ${failure}
    where ${isStillHeld(mail)}`);
}

/** Tried again after 1, 2, 4 … minutes, 64 at the end. */
async function postponeMail({ db, now }: MailSender, mail: LeasedMail, failure: string): Promise<void> {
  const minutes = 2 ** (mail.tries - 1);
  await db.execute(sql`
    update mail_outbox
    set lease_until = null, failure = ${failure},
        due_at = ${now().toISOString()}::timestamptz + make_interval(mins => ${minutes})
    where ${isStillHeld(mail)}`);
}
