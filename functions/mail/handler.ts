import { composeMailOf } from "../../lib/accounts/compose-mail.ts";
import { loadConfig } from "../../lib/config.ts";
import { recountProgress } from "../../lib/course-progress/recount.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { nextMailDue, sendDueMail } from "../../lib/mail/outbox.ts";
import { mailTransportOf } from "../../lib/mail/transport.ts";
import { noticeAll } from "../../lib/notifications/notice-all.ts";

const config = loadConfig();
const deps = forSchedule(await wire(config));
const transport = mailTransportOf(config);

/** Without SMTP_URL mail waits, and the log says so. */
async function sendMail(signal: AbortSignal) {
  if (transport) {
    const counts = await sendDueMail({ ...deps, transport, compose: composeMailOf(deps) }, signal);
    return { ...counts, nextDue: await nextMailDue(deps.db) };
  }
  deps.log.warn({}, "SMTP_URL is not set: mail waits");
  return { sent: 0, failed: 0 };
}

/**
 * An event of the schedule, each minute, or of someone's signing in: tells people what a whole class is told, looks
 * anew at who learns where an outline was edited, and sends the mail that is due, unless nobody is there and none can be.
 */
export const handler = scheduled(
  deps,
  [jobs.notifications, (signal) => noticeAll(deps, signal)],
  [jobs.outlines, async (signal) => ({ steps: await recountProgress(deps.db, signal) })],
  [jobs.mail, sendMail],
);
