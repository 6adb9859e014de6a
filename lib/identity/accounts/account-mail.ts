import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { TokenPurpose } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { translatorAndTagForLocale } from "../../platform/mail/mail-translations.ts";
import type { DueMail, MailMessage } from "../../platform/mail/message.ts";
import { formatLongDateTime } from "../../platform/text/local-time.ts";
import { createFrontendLinkBuilder } from "./frontend-link.ts";
import { hashOfToken, newToken } from "./one-time-tokens.ts";

type World = Pick<Deps, "db" | "config" | "now">;

type LinkMail = { page: string; validMinutes: number };

/**
 * The account's address and creation, and when and from where the mail was requested. No user-written text.
 */
type Facts = { account: string; made_at: string; asked_at: string; asked_from: string | null };

function factsInWords(
  { account, made_at, asked_at, asked_from }: Facts,
  { say, tag }: Language,
  timeZone: string,
) {
  const moment = (at: string) => formatLongDateTime(at, timeZone, tag);
  return {
    account_made: say("account.made", { account, made: moment(made_at) }),
    asked: moment(asked_at),
    from: asked_from ? say("asked.from", { address: asked_from }) : "",
  };
}

type Language = ReturnType<typeof translatorAndTagForLocale>;

const hour = 60;

const linkMails: Record<TokenPurpose, LinkMail> = {
  password_reset: { page: "/reset-password", validMinutes: hour },
  verify_email: { page: "/verify-email", validMinutes: 3 * 24 * hour },
  change_email: { page: "/verify-email", validMinutes: hour },
};

export const accountNoticeComposer =
  (kind: "password_changed" | "email_changed") =>
  async (_world: World, { address, locale }: DueMail): Promise<MailMessage> => {
    const { say } = translatorAndTagForLocale(locale);
    return { to: address, subject: say(`${kind}.subject`), text: say(`${kind}.text`) };
  };

/** Adds a new token. Mail texts are never stored. */
export const tokenLinkMailComposer =
  (purpose: TokenPurpose) =>
  async (world: World, mail: DueMail): Promise<MailMessage | undefined> => {
    const language = translatorAndTagForLocale(mail.locale);
    const { say } = language;
    const { page, validMinutes } = linkMails[purpose];
    const token = newToken();
    const facts = await storeToken(world, mail.id, purpose, validMinutes, token);
    if (!facts) return undefined;
    const parts = [
      say(`${purpose}.before`, factsInWords(facts, language, mail.time_zone)),
      createFrontendLinkBuilder(world.config)(page, token),
      say(`${purpose}.after`),
    ];
    return { to: mail.address, subject: say(`${purpose}.subject`), text: parts.join("\n\n") };
  };

/** No row if the account is gone or there is nothing to confirm. */
const owners: Record<TokenPurpose, SQL> = {
  password_reset: sql`users.email = mail.address`,
  verify_email: sql`users.id = mail.user_id and users.email = mail.address and users.email_verified_at is null`,
  change_email: sql`users.id = mail.user_id and users.email <> mail.address`,
};

const StoredFacts = z.object({
  account: z.string(),
  made_at: StoredInstant,
  asked_at: StoredInstant,
  asked_from: z.string().nullable(),
});

/**
 * Locks the mail's row: a concurrent revocation of tokens includes this one. Replaces an earlier token of the
 * mail, so only the last link works.
 */
async function storeToken(
  { db, now }: World,
  id: number,
  purpose: TokenPurpose,
  minutes: number,
  token: string,
): Promise<Facts | undefined> {
  const moment = now().toISOString();
  const statement = sql`
    with mail as materialized (
      select address, user_id, created_at, from_address from mail_outbox where id = ${id} and ended_at is null for update
    ), owner as (
      select users.id, mail.address, users.email as account, users.created_at as made_at, mail.created_at as asked_at,
        mail.from_address as asked_from
      from mail, users where users.is_active and (${owners[purpose]})
    ), former as (
      delete from one_time_tokens using owner where user_id = owner.id and purpose = ${purpose}
    ), stored as (
      insert into one_time_tokens (user_id, purpose, token_hash, email, expires_at)
      select id, ${purpose}, ${hashOfToken(token)}, address,
             ${moment}::timestamptz + make_interval(mins => ${minutes})
      from owner
    )
    select account, made_at, asked_at, asked_from from owner`;
  const [facts] = await rowsOf(db, StoredFacts, statement);
  return facts && { ...facts, made_at: toInstant(facts.made_at), asked_at: toInstant(facts.asked_at) };
}
