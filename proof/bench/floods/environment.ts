import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../../lib/config.ts";
import { createDeps, type Deps } from "../../../lib/deps.ts";
import { fileStoreDeps } from "../../../lib/files/file-store-deps.ts";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { startPracticeTutor } from "../../../scripts/dev/practice-tutor.ts";
import { makersOf } from "../../../tests/support/makers.ts";
import { startSmtpStandIn } from "../../../tests/support/smtp-stand-in.ts";
import type { World } from "../../../tests/support/world.ts";
import { type BenchEnvironment, benchServiceSettings } from "../environment.ts";
import type { FloodScenario } from "./bystander-waits.ts";
import { createFloodHttpClient, expectSuccessStatus, type FloodHttpClient } from "./http-client.ts";

/** Network addresses of the flooding user and of another one. */
export const floodingIpAddress = "198.51.100.1";
export const bystanderIpAddress = "203.0.113.7";

/** One process of the service with tutor and mail server, and functions that create people. */
export type FloodEnvironment = {
  caller: FloodHttpClient;
  deps: Deps;
  make: ReturnType<typeof makersOf>;
  tokenOf(person: { id: number }): Promise<string>;
  mails: readonly string[];
  close(): Promise<void>;
};

/** Time per mail of a slow mail server. */
const mailMs = 50;

/** A used-up budget would end the flood, but the queues are measured. */
const withoutBudgets = {
  INVITATIONS_PER_HOUR: "0",
  UNIVERSITY_INVITATIONS_PER_HOUR: "0",
  ACCOUNT_MAILS_PER_HOUR: "0",
  TUTOR_TURNS_PER_DAY: "1000000",
  // A port without a server: its discovery takes turns and fails.
  OIDC_PROVIDERS: JSON.stringify([
    { name: "gone", label: "Gone", issuer: "https://127.0.0.1:9", client_id: "id", client_secret: "secret" },
  ]),
};

export async function openFloodEnvironment(
  bench: BenchEnvironment,
  settings: Record<string, string> = {},
): Promise<FloodEnvironment> {
  const files = await mkdtemp(path.join(tmpdir(), "learning-platform-flood-files-"));
  const tutor = await startPracticeTutor();
  const mailServer = await startSmtpStandIn(undefined, mailMs);
  const environment = {
    ...benchServiceSettings(bench.databaseUrl, tutor.url),
    ...withoutBudgets,
    FILE_STORE: `folder:${files}`,
    TRUSTED_PROXIES: "127.0.0.1",
    SMTP_URL: mailServer.url,
    MAIL_FROM: "The bench <no-reply@bench.example>",
    ...settings,
  };
  const deps = await createDeps(loadConfig(environment), {
    database: await connectDatabase({ url: bench.databaseUrl }),
    parts: fileStoreDeps,
  });
  const { url } = await bench.start("platform-server.ts", environment);
  const caller = createFloodHttpClient(url);
  return {
    caller,
    deps,
    make: makersOf({ deps } as World),
    tokenOf: async ({ id }) => (await deps.tokens.issue({ id })).access_token,
    mails: mailServer.mails,
    async close() {
      caller.close();
      // The service keeps a connection to it until its process ends.
      void mailServer.close();
      await Promise.all([deps.close(), tutor.close()]);
      await rm(files, { recursive: true, force: true });
    },
  };
}

/**
 * A cheap read, frequent enough to notice a busy server. Its bound in milliseconds applies if five times the
 * quiet time is less.
 */
export async function createProfileReadProbe(
  { caller, make, tokenOf }: FloodEnvironment,
  milliseconds = 100,
): Promise<FloodScenario["others"][number]> {
  const token = await tokenOf(await make.person());
  return {
    name: "users/me",
    everyMs: 20,
    bound: { times: 5, milliseconds },
    wait: async () =>
      (await expectSuccessStatus(caller.send({ path: "/users/me", from: bystanderIpAddress, token })))
        .milliseconds,
  };
}

/** A sign-in from another network, whose bound applies in milliseconds or as a multiple of the quiet time. */
export async function createSignInProbe({
  caller,
  deps,
  make,
}: FloodEnvironment): Promise<FloodScenario["others"][number]> {
  const password = "a password of the bench";
  const { email } = await make.person({
    password_hash: await hashPassword(password, deps.config.BCRYPT_COST),
  });
  return {
    name: "a sign-in",
    everyMs: 1500,
    bound: { times: 3, milliseconds: 1000 },
    wait: async () => {
      const call = { path: "/auth/login", from: bystanderIpAddress, body: { email, password } };
      return (await expectSuccessStatus(caller.send(call))).milliseconds;
    },
  };
}
