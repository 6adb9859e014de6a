import { sql } from "drizzle-orm";
import * as z from "zod";
import { roles } from "../../../schema/enums.ts";
import { hashOfToken, newToken } from "../../identity/accounts/one-time-tokens.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { translatorAndTagForLocale } from "../../platform/mail/mail-translations.ts";
import { type DueMail, linkFreeName, type MailMessage } from "../../platform/mail/message.ts";

const Claimed = z.object({ id: z.int() });
const Told = z.object({
  id: z.int(),
  university: z.string(),
  role: z.enum(roles).nullable(),
  has_seat: z.boolean(),
  teaches: z.boolean(),
  excuses: z.boolean(),
});

/**
 * An address's open invitations that were not mailed yet, each with a new link that replaces the earlier one;
 * undefined for none. A retried mail has the same invitations. Inviters can send to anyone, so their text is
 * neither in the subject nor next to a link; the university's name is at the end.
 */
export async function composeInvitationsMail(
  db: Db,
  mail: DueMail,
  linkTo: (page: string, token: string) => string,
): Promise<MailMessage | undefined> {
  const claimed = await rowsOf(
    db,
    Claimed,
    sql`update invitations set mail_id = ${mail.id}
        where email = ${mail.address} and accepted_at is null and revoked_at is null
          and coalesce(mail_id, ${mail.id}) = ${mail.id}
        returning id`,
  );
  const links = claimed.map(({ id }) => ({ id, token: newToken() }));
  const hashes = links.map(({ id, token }) => ({ id, hash: hashOfToken(token) }));
  const told = await rowsOf(
    db,
    Told,
    sql`update invitations as one set token_hash = made.hash
        from jsonb_to_recordset(${JSON.stringify(hashes)}::jsonb) as made (id integer, hash text)
        where one.id = made.id and one.accepted_at is null and one.revoked_at is null
        returning one.id, (select name from universities where id = one.university_id) as university, one.role,
          one.course_offering_id is not null as has_seat, one.teaches,
          one.course_id is not null as excuses`,
  );
  if (told.length === 0) return undefined;
  const language = translatorAndTagForLocale(mail.locale);
  const { say } = language;
  const offers = links.flatMap(({ id, token }) =>
    told
      .filter((one) => one.id === id)
      .map((one) => `${inWords(one, language)}:\n\n${linkTo("/accept-invitation", token)}`),
  );
  const names = [...new Set(told.map(({ university }) => linkFreeName(university)))];
  return {
    to: mail.address,
    subject: say("invited.subject"),
    text: [...offers, say("invited.about"), say("invited.by", { names: names.join(", ") })].join("\n\n"),
  };
}

function inWords(
  { role, has_seat, teaches, excuses }: z.output<typeof Told>,
  { say, tag }: ReturnType<typeof translatorAndTagForLocale>,
): string {
  const offered = [
    ...(role ? [say(`role.${role}`)] : []),
    ...(has_seat ? [say(teaches ? "invited.teaches" : "invited.seat")] : []),
    ...(excuses ? [say("invited.excused")] : []),
  ];
  return say("invited.offer", { offers: new Intl.ListFormat(tag).format(offered) });
}
