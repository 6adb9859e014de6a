import { composeMailOf } from "../lib/accounts/compose-mail.ts";
import type { Poller } from "../lib/async/poller.ts";
import type { Deps } from "../lib/deps.ts";
import type { MailSender } from "../lib/mail/outbox.ts";
import { startMailRounds } from "../lib/mail/rounds.ts";
import { mailTransportOf } from "../lib/mail/transport.ts";

/** Sends the mail that requests leave, until it is stopped; undefined, and said in the log, where mail has no way out. */
export function startMail(deps: Deps, onSent?: MailSender["onSent"]): Poller | undefined {
  const transport = mailTransportOf(deps.config);
  if (transport) return startMailRounds({ ...deps, transport, compose: composeMailOf(deps), onSent });
  deps.log.warn({}, "SMTP_URL is not set: mail waits");
  return undefined;
}
