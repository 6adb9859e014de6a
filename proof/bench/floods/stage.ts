import { loadConfig } from "../../../lib/config.ts";
import { connectDatabase } from "../../../lib/db/driver/connect.ts";
import { type Deps, wire } from "../../../lib/deps.ts";
import { startPracticeTutor } from "../../../scripts/dev/practice-tutor.ts";
import { makersOf } from "../../../tests/support/makers.ts";
import { startSmtpStandIn } from "../../../tests/support/smtp-stand-in.ts";
import type { World } from "../../../tests/support/world.ts";
import { type BenchEnvironment, benchSettings } from "../environment.ts";
import { type Caller, callerOf, granted } from "./caller.ts";
import type { Flood } from "./meanwhile.ts";

/** The network addresses of whoever floods, and of someone else. */
export const flooding = "198.51.100.1";
export const elsewhere = "203.0.113.7";

/** One process of the service, with its tutor and its mail server, and what makes people in its database. */
export type FloodStage = {
  caller: Caller;
  deps: Deps;
  make: ReturnType<typeof makersOf>;
  tokenOf(person: { id: number }): Promise<string>;
  /** The mails that have arrived. */
  mails: readonly string[];
  close(): Promise<void>;
};

/** As long as a mail server that is not the fastest takes for a mail. */
const mailMs = 50;

/** A budget that is used up would end the flood: what is measured is what the queues do. */
const withoutBudgets = {
  INVITATIONS_PER_HOUR: "0",
  UNIVERSITY_INVITATIONS_PER_HOUR: "0",
  ACCOUNT_MAILS_PER_HOUR: "0",
  TUTOR_TURNS_PER_DAY: "1000000",
};

export async function openFloods(
  bench: BenchEnvironment,
  settings: Record<string, string> = {},
): Promise<FloodStage> {
  const tutor = await startPracticeTutor();
  const mailServer = await startSmtpStandIn(undefined, mailMs);
  const environment = {
    ...benchSettings(bench.databaseUrl, tutor.url),
    ...withoutBudgets,
    TRUSTED_PROXIES: "127.0.0.1",
    SMTP_URL: mailServer.url,
    MAIL_FROM: "The bench <no-reply@bench.example>",
    ...settings,
  };
  const deps = await wire(loadConfig(environment), {
    database: await connectDatabase({ url: bench.databaseUrl }),
  });
  const { url } = await bench.start("platform-server.ts", environment);
  const caller = callerOf(url);
  return {
    caller,
    deps,
    make: makersOf({ deps } as World),
    tokenOf: async ({ id }) => (await deps.tokens.issue({ id })).access_token,
    mails: mailServer.mails,
    async close() {
      caller.close();
      // The service holds a connection to it until its process ends.
      void mailServer.close();
      await Promise.all([deps.close(), tutor.close()]);
    },
  };
}

/**
 * Someone who reads what is little work, often enough to find the server busy if it is: bounded by so many milliseconds,
 * where five times the quiet is less.
 */
export async function readOfOwn(
  { caller, make, tokenOf }: FloodStage,
  milliseconds = 100,
): Promise<Flood["others"][number]> {
  const token = await tokenOf(await make.person());
  return {
    name: "users/me",
    everyMs: 20,
    bound: { times: 5, milliseconds },
    wait: async () =>
      (await granted(caller.send({ path: "/users/me", from: elsewhere, token }))).milliseconds,
  };
}
