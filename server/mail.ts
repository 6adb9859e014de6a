import type { Deps } from "../lib/deps.ts";
import { createMailComposer } from "../lib/operations/mail/compose-mail.ts";
import type { Poller } from "../lib/platform/async/poller.ts";
import { jobs } from "../lib/platform/jobs/jobs.ts";
import { type MailSenderDeps, sendDueMail } from "../lib/platform/mail/outbox.ts";
import { chooseMailTransport } from "../lib/platform/mail/transport.ts";
import { startJob } from "./job.ts";

/** Sends queued mail until it is stopped. Undefined, with a log entry, if no mail transport is configured. */
export function startMail(deps: Deps, onSent?: MailSenderDeps["onSent"]): Poller | undefined {
  const transport = chooseMailTransport(deps.config);
  if (!transport) {
    deps.log.warn({}, "SMTP_URL is not set, so mail stays in the outbox");
    return undefined;
  }
  const sender = { ...deps, transport, compose: createMailComposer(deps), onSent };
  const rounds = startJob(deps, jobs.mail, (signal) => sendDueMail(sender, signal));
  return {
    async stop() {
      await rounds.stop();
      transport.close();
    },
  };
}
