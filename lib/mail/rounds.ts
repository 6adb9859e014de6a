import { type Poller, startPoller } from "../async/poller.ts";
import { type MailSender, sendDueMail } from "./outbox.ts";

/** A server looks for mail this often; a function of a schedule is called instead. */
const pauseMilliseconds = 2000;

/** Sends what is due, again and again, one round at a time. */
export function startMailRounds(sender: MailSender): Poller {
  const rounds = startPoller((signal) => sendDueMail(sender, signal), {
    pauseMilliseconds,
    onFailure: (error) => sender.log.warn({ reason: String(error) }, "the outbox could not be read"),
  });
  return {
    async stop() {
      await rounds.stop();
      sender.transport.close();
    },
  };
}
