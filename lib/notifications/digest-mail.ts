import { sql } from "drizzle-orm";
import * as z from "zod";
import { momentForm } from "../../schema/db/columns.ts";
import {
  type NotificationKind,
  notificationKinds,
  type RolloutStop,
  rolloutStops,
} from "../../schema/enums.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { Deps } from "../deps.ts";
import { type DueMail, inOneLine, type MailMessage } from "../mail/message.ts";
import { unsubscribeToken } from "./unsubscribing.ts";

/** No mail is longer: the rest is counted. */
const mostLines = 50;

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

/**
 * The mail that tells of all notifications that wait for it, as they read by now; undefined when none is left to tell:
 * they were read, taken back, or are unwanted by now.
 */
export async function composeDigest(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  { id, address, user_id }: DueMail,
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
      from notifications_of(${user_id}, ${now().toISOString()}) as one
      join notification_wishes(${user_id}) as wish on wish.kind = one.kind and wish.mail <> 'off'
      left join course_offerings as run on run.id = one.course_offering_id
      left join courses as course on course.id = run.course_id
      where one.mail_id = ${id} and one.read_at is null
      order by one.id limit ${mostLines}`,
  );
  const [first] = told;
  if (!first) return undefined;
  const stop = `${apiOf(config)}/users/notification-mail/${unsubscribeToken(config, user_id)}/stop`;
  const more = first.total > told.length ? [`And ${first.total - told.length} more.`] : [];
  return {
    to: address,
    subject: first.total === 1 ? subjects[first.kind] : `${first.total} notifications`,
    text: [...told.map((one) => `- ${lineOf(one)}`), ...more, "", `Get no such mail any more: ${stop}`].join(
      "\n",
    ),
    // One click in the mail program, as RFC 8058 has it.
    headers: { "List-Unsubscribe": `<${stop}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

/** Without anyone's words, which stand in the mail itself. */
const subjects: Record<NotificationKind, string> = {
  announcement: "An announcement",
  discussion_reply: "An answer in a discussion",
  due_soon: "Something is due soon",
  grade_outdated: "Final grades are outdated",
  grade_released: "There is a grade",
  place_obtained: "You have a place now",
  private_message: "Someone who teaches you has written to you",
  rollout_stopped: "A rollout of a prompt has stopped",
  tutor_handover: "A learner asks for a person",
};

const reasons: Record<RolloutStop, string> = {
  by_hand: "someone stopped it",
  production_moved: "the label production has moved",
  malformed: "more of its questions could not be read",
  refusals: "more of its answers were refused",
  cut_offs: "more of its answers broke off",
  length: "its answers are longer",
  downs: "more of its answers were rated down",
  cost: "its answers cost more",
  first_word: "its first words come later",
};

const sentences: Record<NotificationKind, (told: Told) => string> = {
  announcement: ({ title }) => `Announcement: ${title}`,
  discussion_reply: ({ title, by_name }) => `${by_name ?? "Someone"} answered in ${title ?? "a discussion"}`,
  due_soon: ({ title, due }) => `Due on ${due?.slice(0, 16).replace("T", " at ")} UTC: ${title}`,
  grade_outdated: () => "Work was graded after final grades, which are outdated by it",
  grade_released: ({ title }) => `There is a grade: ${title}`,
  place_obtained: () => "You have a place now",
  private_message: ({ title, by_name }) => `${by_name ?? "Someone"} wrote to you${title ? `: ${title}` : ""}`,
  rollout_stopped: ({ title, stop_reason }) =>
    `The rollout of ${title ?? "a prompt"} has stopped: ${reasons[stop_reason ?? "by_hand"]}`,
  tutor_handover: ({ title, by_name }) => `${by_name ?? "Someone"} asks a person about ${title ?? "a topic"}`,
};

const lineOf = (told: Told): string =>
  inOneLine([sentences[told.kind](told), told.course && `(${told.course})`].filter(Boolean).join(" "));

const apiOf = ({ PUBLIC_URL, PORT, API_V1_PREFIX }: Deps["config"]): string =>
  `${PUBLIC_URL ?? `http://localhost:${PORT}`}${API_V1_PREFIX}`;
