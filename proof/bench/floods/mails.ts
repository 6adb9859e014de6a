import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { granted } from "./caller.ts";
import { againAndAgain, type Flood } from "./meanwhile.ts";
import { type FloodStage, flooding, readOfOwn } from "./stage.ts";

/** So many ask at once for links to set a password, and so many for invitations. */
const askers = 4;

/** Looked for in the mail server this often. */
const lookMs = 5;

/** It ends a wait for a mail that was lost; what a mail takes is judged by its own bound. */
const timeoutMs = 300_000;

/**
 * Links to set a password for everyone, which are as urgent as any mail, and invitations of one administrator, more than
 * the mail server takes. Others have their addresses verified, each from a network of their own, and wait for the mail.
 */
export async function mailFlood(stage: FloodStage): Promise<Flood> {
  const { caller, deps, make, tokenOf, mails } = stage;
  const university = await make.university();
  const inviter = await tokenOf(await make.holder("university_admin", university.id));
  let invited = 0;
  let verified = 0;

  const arrivalOf = async (email: string): Promise<void> => {
    const until = performance.now() + timeoutMs;
    while (!mails.some((mail) => mail.includes(`To: ${email}`))) {
      if (performance.now() > until) throw new Error(`no mail came to ${email}`);
      await sleep(lookMs);
    }
  };

  return {
    name: "mails",
    others: [
      await readOfOwn(stage),
      {
        name: "a mail to verify an address",
        everyMs: 700,
        bound: { times: 1.5, milliseconds: 3000 },
        async wait() {
          const { id, email } = await make.person();
          verified += 1;
          const from = `203.0.113.${verified % 250}`;
          const began = performance.now();
          await granted(
            caller.send({ path: "/users/me/email", from, token: await tokenOf({ id }), body: { email } }),
          );
          await arrivalOf(email);
          return performance.now() - began;
        },
      },
    ],
    async run(isOver, tell) {
      const forget = async () => {
        const { email } = await make.person();
        return caller.send({ path: "/auth/password-reset", from: flooding, body: { email } });
      };
      const invite = () => {
        invited += 1;
        const body = { email: `guest${invited}@bench.example`, role: "STUDENT" };
        const path = `/universities/${university.id}/invitations`;
        return caller.send({ path, from: flooding, token: inviter, body });
      };
      await Promise.all(
        Array.from({ length: askers }, () => [
          againAndAgain(isOver, tell, forget),
          againAndAgain(isOver, tell, invite),
        ]).flat(),
      );
      // What is left would be sent for minutes, and the next round would not be a quiet one.
      await deps.db.execute(sql`delete from mail_outbox where ended_at is null`);
    },
  };
}
