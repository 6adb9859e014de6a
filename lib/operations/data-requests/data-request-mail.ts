import { sql } from "drizzle-orm";
import * as z from "zod";
import { dataRequestKinds } from "../../../schema/enums.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { translatorAndTagForLocale } from "../../platform/mail/mail-translations.ts";
import { type DueMail, inOneLine, type MailMessage } from "../../platform/mail/message.ts";

const Decided = z.object({
  university: z.string(),
  kind: z.enum(dataRequestKinds),
  is_rejected: z.boolean(),
});

/** Decisions since the mail was queued. No user-written text. */
export async function composeDataRequestsMail(
  db: Db,
  { id, address, user_id, locale }: DueMail,
): Promise<MailMessage | undefined> {
  if (user_id === null) return undefined;
  const decided = await rowsOf(
    db,
    Decided,
    sql`
      select place.name as university, one.kind, one.state = 'rejected' as is_rejected
      from mail_outbox as mail join data_requests as one on one.user_id = mail.user_id and one.decided_at >= mail.created_at
      join universities as place on place.id = one.university_id
      where mail.id = ${id} order by one.decided_at, one.id limit 20`,
  );
  if (decided.length === 0) return undefined;
  const { say } = translatorAndTagForLocale(locale);
  const lines = decided.map(({ university, kind, is_rejected }) =>
    inOneLine(say(`data.${is_rejected ? "rejected" : "granted"}.${kind}`, { university })),
  );
  return { to: address, subject: say("data.subject"), text: [...lines, "", say("data.about")].join("\n") };
}
