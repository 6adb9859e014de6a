import { createMailComposer } from "../../lib/operations/mail/compose-mail.ts";
import type { MailMessage } from "../../lib/platform/mail/message.ts";
import { type MailCounts, sendDueMail } from "../../lib/platform/mail/outbox.ts";
import type { World } from "./world.ts";

/** Sends a world's due mail and records it. `fail` rejects the next mails. */
export function mailboxOf(world: World) {
  const mails: MailMessage[] = [];
  let failing = false;
  const transport = {
    async send(message: MailMessage) {
      if (failing) throw Object.assign(new Error("no"), { code: "ECONNECTION" });
      mails.push(message);
      return undefined;
    },
    close: () => {},
  };
  const send = (): Promise<MailCounts> => {
    const { db, now, log } = world.deps;
    return sendDueMail({ db, now, log, compose: createMailComposer(world.deps), transport });
  };
  /** Sends due mail and returns the token in the newest one to that address. */
  const tokenFor = async (address: string): Promise<string> => {
    await send();
    const mail = mails.findLast(({ to }) => to === address);
    return /[#?]token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
  };
  return {
    mails,
    send,
    tokenFor,
    fail: (on: boolean) => {
      failing = on;
    },
  };
}
