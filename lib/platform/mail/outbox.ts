/*
 * Requests insert rows into `mail_outbox`; the server or the schedule sends them. The sender holds a lease,
 * taken by a conditional update. An expired lease is retried: delivery is at least once. Failures are retried
 * with growing pauses, eight times in about two hours, then logged. Ended rows are deleted after a day.
 */
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { mailKinds } from "../../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { Logger } from "../logging/log.ts";
import type { ComposeMail, DueMail, MailTransport } from "./message.ts";

const maxMailTries = 8;
/** Even an unresponsive mail server handles these within the lease. */
const mailsPerBatch = 5;
const leaseSeconds = 300;

const LeasedMail = z.object({
  id: z.int(),
  kind: z.enum(mailKinds),
  address: z.string(),
  user_id: z.int().nullable(),
  locale: z.string(),
  time_zone: z.string(),
  tries: z.int(),
});
type LeasedMail = z.output<typeof LeasedMail>;

export type MailSenderDeps = {
  db: Db;
  now: () => Date;
  log: Logger;
  compose: ComposeMail;
  transport: MailTransport;
  /** Called for each sent mail, with its file if it was written to one. */
  onSent?: ((mail: DueMail, file: string | undefined) => void) | undefined;
};

export type MailCounts = { sent: number; failed: number };

export async function sendDueMail(sender: MailSenderDeps, signal?: AbortSignal): Promise<MailCounts> {
  const counts: MailCounts = { sent: 0, failed: 0 };
  while (!signal?.aborted) {
    const leased = await leaseMail(sender);
    for (const mail of leased) {
      // The rest is sent after its lease expires.
      if (signal?.aborted) return counts;
      counts[(await trySending(sender, mail)) ? "sent" : "failed"] += 1;
    }
    if (leased.length === 0) break;
  }
  return counts;
}

/** Concurrent senders skip each other's rows. */
async function leaseMail({ db, now }: MailSenderDeps): Promise<LeasedMail[]> {
  const moment = now().toISOString();
  const statement = sql`
    with next as materialized (${inTurn(moment)}), leased as (
      update mail_outbox
      set tries = tries + 1, lease_until = ${moment}::timestamptz + make_interval(secs => ${leaseSeconds})
      where id in (
        select id from mail_outbox as mail
        where id in (select id from next) and ${isFree(moment)} for update skip locked)
      returning id, kind, address, user_id, from_person, tries
    )
    select leased.id::double precision as id, kind, address, user_id, tries, coalesce(
        (select locale from users where users.id = leased.user_id), (select locale from users where email = address),
        (select locale from users where users.id = from_person), 'en') as locale, coalesce(
        (select time_zone from users where users.id = leased.user_id),
        (select time_zone from users where email = address), 'UTC') as time_zone
    from leased join next using (id)
    order by class, network_turn, due_at, id`;
  return rowsOf(db, LeasedMail, statement);
}

const isFree = (moment: string): SQL => sql`(
  mail.ended_at is null and mail.due_at <= ${moment} and (mail.lease_until is null or mail.lease_until <= ${moment}))`;

/**
 * First links needed to sign in, then other mail to one person, then class mail. In the first two groups
 * networks take turns, then users, by recent and waiting mail: heavy senders only delay themselves.
 */
const inTurn = (moment: string): SQL => sql`
  with waiting as (
    select id, due_at, coalesce(from_network, '') as network, coalesce(from_person, 0) as person,
      kind not in ('password_reset', 'verify_email', 'change_email') as can_wait
    from mail_outbox as mail where kind <> 'notifications' and ${isFree(moment)}
  ), lately as (
    select coalesce(from_network, '') as network, coalesce(from_person, 0) as person, count(*) as mails
    from mail_outbox where ended_at > ${moment}::timestamptz - interval '10 minutes' and kind <> 'notifications'
    group by 1, 2
  ), by_person as (
    select waiting.*, coalesce(mails, 0)
        + row_number() over (partition by can_wait, network, person order by due_at, id) as turn
    from waiting left join lately using (network, person)
  ), by_network as (
    select by_person.*, coalesce(mails, 0)
        + row_number() over (partition by can_wait, network order by turn, due_at, id) as network_turn
    from by_person left join (select network, sum(mails) as mails from lately group by 1) as sums using (network)
  )
  select id, class, network_turn, due_at from (
    (select id, can_wait::int as class, network_turn, due_at from by_network
     order by class, network_turn, due_at, id limit ${mailsPerBatch})
    union all
    (select id, 2, 0, due_at from mail_outbox as mail where kind = 'notifications' and ${isFree(moment)}
     order by due_at, id limit ${mailsPerBatch})
  ) as next
  order by class, network_turn, due_at, id limit ${mailsPerBatch}`;

async function trySending(sender: MailSenderDeps, mail: LeasedMail): Promise<boolean> {
  try {
    const message = await sender.compose(mail);
    const file = message && (await sender.transport.send(message));
    if (message) sender.onSent?.(mail, file);
    await endMail(sender, mail, message ? null : "nothing to say");
    return true;
  } catch (error) {
    // Servers may repeat the address in an error: only its kind is stored.
    const failure = failureOf(error);
    const isLast = mail.tries >= maxMailTries;
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

export async function nextMailDueTime(db: Db): Promise<Date | undefined> {
  const statement = sql`
    select (extract(epoch from min(greatest(due_at, coalesce(lease_until, due_at)))) * 1000)::float8 as due
    from mail_outbox where ended_at is null`;
  const [next] = await rowsOf(db, NextDue, statement);
  return next?.due == null ? undefined : new Date(next.due);
}

const NextDue = z.object({ due: z.number().nullable() });

/** Another sender would have increased `tries`. */
const isStillHeld = ({ id, tries }: LeasedMail) => sql`id = ${id} and tries = ${tries} and ended_at is null`;

async function endMail({ db, now }: MailSenderDeps, mail: LeasedMail, failure: string | null): Promise<void> {
  await db.execute(sql`
    update mail_outbox set ended_at = ${now().toISOString()}, lease_until = null, failure = ${failure}
    where ${isStillHeld(mail)}`);
}

/** Retries after 1, 2, 4 … minutes, at most 64. */
async function postponeMail({ db, now }: MailSenderDeps, mail: LeasedMail, failure: string): Promise<void> {
  const minutes = 2 ** (mail.tries - 1);
  await db.execute(sql`
    update mail_outbox
    set lease_until = null, failure = ${failure},
        due_at = ${now().toISOString()}::timestamptz + make_interval(mins => ${minutes})
    where ${isStillHeld(mail)}`);
}
