import { type MailSender, sendDueMail } from "./outbox.ts";

/** A server looks for mail this often; a function of a schedule is called instead. */
const everyMilliseconds = 2000;

/** `stop` lets the mail that is under way end. */
export type MailRounds = { stop(): Promise<void> };

/** Sends what is due, again and again, one round at a time. */
export function startMailRounds(sender: MailSender): MailRounds {
  const stopping = new AbortController();
  let round: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    round = sendDueMail(sender, stopping.signal)
      .catch((error) => sender.log.warn({ reason: String(error) }, "the outbox could not be read"))
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, everyMilliseconds).unref();
      });
  };
  next();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await round;
      sender.transport.close();
    },
  };
}
