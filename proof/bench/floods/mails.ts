import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import { createProfileReadProbe, type FloodEnvironment, floodingIpAddress } from "./environment.ts";
import { expectSuccessStatus } from "./http-client.ts";

/** Concurrent requests for password links, and for invitations. */
const askers = 4;

/** Interval of polling the mail server. */
const lookMs = 5;

/** Ends the wait for a lost mail; a mail's bound is separate. */
const timeoutMs = 300_000;

/**
 * Floods urgent mail (password links for everyone) and invitations by one administrator beyond the mail
 * server's capacity. Others verify their addresses, each from another network, and wait for the mail.
 */
export async function createMailFlood(stage: FloodEnvironment): Promise<FloodScenario> {
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
      await createProfileReadProbe(stage),
      {
        name: "a mail to verify an address",
        everyMs: 700,
        bound: { times: 1.5, milliseconds: 3000 },
        async wait() {
          const { id, email } = await make.person();
          verified += 1;
          const from = `203.0.113.${verified % 250}`;
          const began = performance.now();
          await expectSuccessStatus(
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
        return caller.send({ path: "/auth/password-reset", from: floodingIpAddress, body: { email } });
      };
      const invite = () => {
        invited += 1;
        const body = { email: `guest${invited}@bench.example`, role: "STUDENT" };
        const path = `/universities/${university.id}/invitations`;
        return caller.send({ path, from: floodingIpAddress, token: inviter, body });
      };
      await Promise.all(
        Array.from({ length: askers }, () => [
          repeatRequestsUntilAborted(isOver, tell, forget),
          repeatRequestsUntilAborted(isOver, tell, invite),
        ]).flat(),
      );
      // The backlog would take minutes and disturb the next quiet round.
      await deps.db.execute(sql`delete from mail_outbox where ended_at is null`);
    },
  };
}
