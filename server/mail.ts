import { composeMailOf } from "../lib/accounts/compose-mail.ts";
import type { Poller } from "../lib/async/poller.ts";
import type { Deps } from "../lib/deps.ts";
import { jobs } from "../lib/jobs/jobs.ts";
import { type MailSender, sendDueMail } from "../lib/mail/outbox.ts";
import { mailTransportOf } from "../lib/mail/transport.ts";
import { startJob } from "./job.ts";

/** Sends the mail that requests leave, until it is stopped; undefined, and said in the log, where mail has no way out. */
export function startMail(deps: Deps, onSent?: MailSender["onSent"]): Poller | undefined {
  const transport = mailTransportOf(deps.config);
  if (!transport) {
    deps.log.warn({}, "SMTP_URL is not set: mail waits");
    return undefined;
  }
  const sender = { ...deps, transport, compose: composeMailOf(deps), onSent };
  const rounds = startJob(deps, jobs.mail, (signal) => sendDueMail(sender, signal));
  return {
    async stop() {
      await rounds.stop();
      transport.close();
    },
  };
}
