import { sql } from "drizzle-orm";
import * as z from "zod";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { type NotificationKind, notificationKinds, rolloutStops } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  type MailTextKey,
  type Translate,
  translatorAndTagForLocale,
} from "../../platform/mail/mail-translations.ts";
import { type DueMail, inOneLine, type MailMessage } from "../../platform/mail/message.ts";
import { localTime } from "../../platform/text/local-time.ts";
import { unsubscribeToken } from "./unsubscribing.ts";

/** Others are only counted. */
const maxDigestMailLines = 50;

const Told = z.object({
  kind: z.enum(notificationKinds),
  title: z.string().nullable(),
  course: z.string().nullable(),
  by_name: z.string().nullable(),
  due: z.string().nullable(),
  stop_reason: z.enum(rolloutStops).nullable(),
  total: z.int(),
});
type Told = z.output<typeof Told>;

/** Undefined if none is left: they were read, withdrawn or switched off. */
export async function composeDigestMail(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  { id, address, user_id, locale, time_zone }: DueMail,
): Promise<MailMessage | undefined> {
  if (user_id === null) return undefined;
  const told = await rowsOf(
    db,
    Told,
    sql`
      select one.kind, one.title, course.code || ' ' || course.title as course, one.by_name,
             ${momentForm(sql`one.due_at`)} as due, (
               select rollout.stop_reason from notifications as own
               join prompt_rollouts as rollout on rollout.id = own.prompt_rollout_id where own.id = one.id) as stop_reason,
             (count(*) over ())::int as total
      from visible_notifications_of_person(${user_id}, ${now().toISOString()}) as one
      join notification_settings as wish on wish.user_id = ${user_id} and wish.kind = one.kind and wish.mail <> 'off'
      left join course_offerings as run on run.id = one.course_offering_id
      left join courses as course on course.id = run.course_id
      where one.mail_id = ${id} and one.read_at is null
      order by one.id limit ${maxDigestMailLines}`,
  );
  const [first] = told;
  if (!first) return undefined;
  const { say } = translatorAndTagForLocale(locale);
  const stop = `${apiOf(config)}/users/notification-mail/${unsubscribeToken(config, user_id)}/stop`;
  const more = first.total > told.length ? [say("more", { n: first.total - told.length })] : [];
  return {
    to: address,
    subject: first.total === 1 ? say(`news.${first.kind}.subject`) : say("news", { n: first.total }),
    text: [
      ...told.map((one) => `- ${lineOf(one, say, time_zone)}`),
      ...more,
      "",
      say("news.stop", { address: stop }),
    ].join("\n"),
    // One-click unsubscribe (RFC 8058).
    headers: { "List-Unsubscribe": `<${stop}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

/** Replaces a title that was deleted. */
const untitled: Partial<Record<NotificationKind, MailTextKey>> = {
  discussion_reply: "news.discussion",
  rollout_stopped: "news.prompt",
  tutor_handover: "news.topic",
};

function sentenceOf(told: Told, say: Translate, timeZone: string): string {
  const { kind, title, by_name, due, stop_reason } = told;
  const without = untitled[kind];
  const values = {
    title: title ?? (without ? say(without) : ""),
    name: by_name ?? say("news.someone"),
    ...(due && localTime(due, timeZone)),
    reason: say(`stopped.${stop_reason ?? "by_hand"}`),
  };
  return say(kind === "private_message" && !title ? "news.private_message.untitled" : `news.${kind}`, values);
}

const lineOf = (told: Told, say: Translate, timeZone: string): string =>
  inOneLine([sentenceOf(told, say, timeZone), told.course && `(${told.course})`].filter(Boolean).join(" "));

const apiOf = ({ PUBLIC_URL, PORT, API_V1_PREFIX }: Deps["config"]): string =>
  `${PUBLIC_URL ?? `http://localhost:${PORT}`}${API_V1_PREFIX}`;
