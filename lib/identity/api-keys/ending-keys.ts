import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type Translate, translatorAndTagForLocale } from "../../platform/mail/mail-translations.ts";
import { type DueMail, linkFreeName, type MailMessage } from "../../platform/mail/message.ts";
import { localTime } from "../../platform/text/local-time.ts";
import { keyCreatorIsAdministratorCondition } from "../auth/key-credential.ts";

/*
 * Keys that will stop or have stopped working without being revoked: they expire, or their creator lost the
 * right. Administrators get one mail per key, and `npm run doctor` lists them.
 */

export const endingOrOrphanedApiKeyCondition = (moment: SQL): SQL => sql`(
  api_keys.revoked_at is null and api_keys.expires_at > ${moment}
  and (api_keys.expires_at < ${moment} + interval '30 days' or not ${keyCreatorIsAdministratorCondition}))`;

/** A row of `users` administers the whole university by a role there. */
const administers = (university: SQL): SQL => sql`(
  users.is_active and users.erased_at is null and not is_suspended(${university}, users.id) and exists (
    select from user_university_roles as held
    where held.user_id = users.id and held.university_id = ${university}
      and held.role = 'university_admin' and held.department_id is null))`;

/** Per run. The next run handles the rest. */
const maxEndingKeysPerRun = 500;

const Warned = z.object({ keys: z.int() });

/** Queues a mail to each administrator, once per key. Returns the number of keys. */
export async function queueApiKeyEndWarnings({ db, now }: { db: Db; now: () => Date }): Promise<number> {
  const moment = sql`${now().toISOString()}::timestamptz`;
  const [warned] = await rowsOf(
    db,
    Warned,
    sql`
    with ending as (
      update api_keys set warned_at = ${moment} where id = any (array(
        select api_keys.id from api_keys join users on users.id = api_keys.maker_id
        where api_keys.warned_at is null and ${endingOrOrphanedApiKeyCondition(moment)}
        order by api_keys.id limit ${maxEndingKeysPerRun} for update of api_keys skip locked
      )) returning id, university_id
    ), told as (
      insert into mail_outbox (kind, address, user_id, created_at, due_at)
      select distinct 'api_keys', users.email, users.id, ${moment}, ${moment}
      from ending join users on users.email is not null and ${administers(sql`ending.university_id`)}
      on conflict (kind, address) where ended_at is null do nothing
    )
    select count(*)::int as keys from ending`,
  );
  return warned?.keys ?? 0;
}

const Told = z.object({
  university: z.string(),
  name: z.string(),
  expires_at: z.string(),
  is_orphaned: z.boolean(),
  total: z.int(),
});

/** Others are only counted. */
const maxEndingKeysNamedInMail = 50;

/**
 * Lists ending keys, as of now, from those queued in the last week (longer than a mail can be delayed).
 * Undefined if none is left. No link: key names are user input.
 */
export async function composeEndingApiKeysMail(
  { db, now }: { db: Db; now: () => Date },
  { address, user_id, locale, time_zone }: DueMail,
): Promise<MailMessage | undefined> {
  const moment = sql`${now().toISOString()}::timestamptz`;
  const told = await rowsOf(
    db,
    Told,
    sql`
    select university.name as university, api_keys.name, ${momentForm(sql`api_keys.expires_at`)} as expires_at,
      not ${keyCreatorIsAdministratorCondition} as is_orphaned, (count(*) over ())::int as total
    from api_keys
    join users on users.id = api_keys.maker_id
    join universities as university on university.id = api_keys.university_id
    where api_keys.warned_at > ${moment} - interval '7 days' and ${endingOrOrphanedApiKeyCondition(moment)} and exists (
      select from users where users.id = ${user_id} and ${administers(sql`university.id`)})
    order by university.name, api_keys.id limit ${maxEndingKeysNamedInMail}`,
  );
  const [first] = told;
  if (!first) return undefined;
  const { say } = translatorAndTagForLocale(locale);
  const more = first.total > told.length ? [say("more", { n: first.total - told.length })] : [];
  return {
    to: address,
    subject: say("keys.subject"),
    text: [
      say("keys.intro"),
      "",
      ...told.map((one) => lineOf(one, say, time_zone)),
      ...more,
      "",
      say("keys.about"),
    ].join("\n"),
  };
}

const lineOf = (
  { university, name, expires_at, is_orphaned }: z.output<typeof Told>,
  say: Translate,
  timeZone: string,
): string =>
  `- ${linkFreeName(name)} (${linkFreeName(university)}): ${
    is_orphaned ? say("keys.orphaned") : say("keys.expires", { day: localTime(expires_at, timeZone).day })
  }`;
