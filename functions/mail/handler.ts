import { composeMailOf } from "../../lib/accounts/compose-mail.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";
import { sendDueMail } from "../../lib/mail/outbox.ts";
import { mailTransportOf } from "../../lib/mail/transport.ts";

const config = loadConfig();
const deps = wire(config);
const transport = mailTransportOf(config);

/** What is left of the function's time when it stops, for the mail that is under way. */
const reserveMilliseconds = 45_000;

/** An event of the schedule, each minute: sends the mail that is due. Without SMTP_URL it waits, and the log says so. */
export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }) {
  if (!transport) {
    deps.log.warn({}, "SMTP_URL is not set: mail waits");
    return { sent: 0, failed: 0 };
  }
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  return sendDueMail({ ...deps, transport, compose: composeMailOf(deps) }, signal);
}
