import { composeMailOf } from "../../lib/accounts/compose-mail.ts";
import { loadConfig } from "../../lib/config.ts";
import { lookAnew } from "../../lib/course-progress/look-anew.ts";
import { scheduled, wire } from "../../lib/deps.ts";
import { nextMailDue, sendDueMail } from "../../lib/mail/outbox.ts";
import { mailTransportOf } from "../../lib/mail/transport.ts";
import { noticeAll } from "../../lib/notifications/rounds.ts";
import { pacedFunction } from "../../lib/schedule/paced-function.ts";

const config = loadConfig();
const deps = scheduled(await wire(config));
const transport = mailTransportOf(config);

/** What is left of the function's time when it stops, for the mail that is under way. */
const reserveMilliseconds = 45_000;

/**
 * An event of the schedule, each minute, or of someone's signing in: tells people what a whole class is told, looks
 * anew at who learns where an outline was edited, and sends the mail that is due, unless nobody is there and none can be. Without SMTP_URL mail waits, and the log says so.
 */
export const handler = pacedFunction(deps, reserveMilliseconds, async (signal) => {
  await noticeAll(deps, signal);
  await lookAnew(deps.db, signal);
  if (transport) {
    const counts = await sendDueMail({ ...deps, transport, compose: composeMailOf(deps) }, signal);
    return { ...counts, nextDue: await nextMailDue(deps.db) };
  }
  deps.log.warn({}, "SMTP_URL is not set: mail waits");
  return { sent: 0, failed: 0 };
});
