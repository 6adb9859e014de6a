import { loadConfig } from "../../../lib/config.ts";
import { recomputeStaleCourseProgress } from "../../../lib/courses/course-progress/recount.ts";
import { createNotificationsAndQueueMails } from "../../../lib/courses/notifications/process-notifications.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { createMailComposer } from "../../../lib/operations/mail/compose-mail.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";
import { nextMailDueTime, sendDueMail } from "../../../lib/platform/mail/outbox.ts";
import { chooseMailTransport } from "../../../lib/platform/mail/transport.ts";

const config = loadConfig();
const deps = withScheduleDb(await createDeps(config));
const transport = chooseMailTransport(config);

/** Without SMTP_URL mail stays queued, which is logged. */
async function sendMail(signal: AbortSignal) {
  if (transport) {
    const counts = await sendDueMail({ ...deps, transport, compose: createMailComposer(deps) }, signal);
    return { ...counts, nextDue: await nextMailDueTime(deps.db) };
  }
  deps.log.warn({}, "SMTP_URL is not set, so mail stays in the outbox");
  return { sent: 0, failed: 0 };
}

/**
 * Scheduled each minute, and triggered by sign-ins: creates class-wide notifications, recomputes progress
 * after outline edits, and sends mail. Skips idle systems.
 */
export const handler = createLambdaJobHandler(
  deps,
  [jobs.notifications, (signal) => createNotificationsAndQueueMails(deps, signal)],
  [jobs.outlines, async (signal) => ({ steps: await recomputeStaleCourseProgress(deps.db, signal) })],
  [jobs.mail, sendMail],
);
