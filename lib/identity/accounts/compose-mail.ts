import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { MailKind, TokenPurpose } from "../../../schema/enums.ts";
import { composeDigest } from "../../courses/notifications/digest-mail.ts";
import type { Deps } from "../../deps.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { inLanguageOf } from "../../platform/mail/in-language.ts";
import type { ComposeMail, DueMail } from "../../platform/mail/message.ts";
import { composeKeyWarning } from "../api-keys/ending-keys.ts";
import { composeDataRequests } from "./data-request-mail.ts";
import { composeInvitations } from "./invitation-mail.ts";
import { linkTo } from "./link-to.ts";
import { hashOfToken, newToken } from "./one-time-tokens.ts";

type World = Pick<Deps, "db" | "config" | "now">;

type LinkMail = { page: string; validMinutes: number };

/** The account's address and creation date, and when and from where the mail was requested. No user-written text. */
type Facts = { account: string; made_at: string; asked_at: string; asked_from: string | null };

function factsInWords({ account, made_at, asked_at, asked_from }: Facts, { say, tag }: Language) {
  const moment = (at: string) => inWords(at, tag);
  return {
    account_made: say("account.made", { account, made: moment(made_at) }),
    asked: moment(asked_at),
    from: asked_from ? say("asked.from", { address: asked_from }) : "",
  };
}

type Language = ReturnType<typeof inLanguageOf>;

/** Formats as `10 March 2026, 12:00 UTC`. */
const inWords = (moment: string, tag: string): string =>
  `${new Intl.DateTimeFormat(tag, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })
    .format(new Date(moment))
    .replace(" at ", ", ")} UTC`;

const hour = 60;

const linkMails: Record<TokenPurpose, LinkMail> = {
  password_reset: { page: "/reset-password", validMinutes: hour },
  verify_email: { page: "/verify-email", validMinutes: 3 * 24 * hour },
  change_email: { page: "/verify-email", validMinutes: hour },
};

const notices = ["password_changed", "email_changed"] as const;

/** Renders a queued mail with a newly generated token. Mail texts are never stored. */
export const composeMailOf =
  (world: World): ComposeMail =>
  async (mail) => {
    if (mail.kind === "invitation") return composeInvitations(world.db, mail, linkTo(world.config));
    if (mail.kind === "api_keys") return composeKeyWarning(world, mail);
    if (mail.kind === "data_request") return composeDataRequests(world.db, mail);
    if (mail.kind === "notifications") return composeDigest(world, mail);
    const language = inLanguageOf(mail.locale);
    const { say } = language;
    if (isNotice(mail.kind))
      return { to: mail.address, subject: say(`${mail.kind}.subject`), text: say(`${mail.kind}.text`) };
    const link = linkMails[mail.kind];
    const token = newToken();
    const facts = await storeToken(world, mail, link.validMinutes, token);
    if (!facts) return undefined;
    const parts = [
      say(`${mail.kind}.before`, factsInWords(facts, language)),
      linkTo(world.config)(link.page, token),
      say(`${mail.kind}.after`),
    ];
    return { to: mail.address, subject: say(`${mail.kind}.subject`), text: parts.join("\n\n") };
  };

const isNotice = (kind: MailKind): kind is (typeof notices)[number] =>
  (notices as readonly MailKind[]).includes(kind);

/** The token's owner. No row if the account is gone or there is nothing to confirm. */
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
 * Stores the token and returns the mail's data. Locks the mail's row, so a concurrent revocation of tokens
 * includes this one. Replaces an earlier token of the same mail, so only the last link works.
 */
async function storeToken(
  { db, now }: World,
  { id, kind }: DueMail,
  minutes: number,
  token: string,
): Promise<Facts | undefined> {
  const purpose = kind as TokenPurpose;
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
