import { eq } from "drizzle-orm";
import type { Hono } from "hono";
import { allEndpointGroups } from "../../functions/groups.ts";
import { closeAndGradeDueAttempts } from "../../lib/assessment/grade-closed-attempts.ts";
import { loadConfig } from "../../lib/config.ts";
import { recomputeStaleCourseProgress } from "../../lib/courses/course-progress/recount.ts";
import { createNotificationsAndQueueMails } from "../../lib/courses/notifications/process-notifications.ts";
import { createDeps, withScheduleDb } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { processImports } from "../../lib/integrations/imports/work.ts";
import { runRetentionPolicies } from "../../lib/operations/retention/work.ts";
import { runFrequentUpkeep } from "../../lib/operations/upkeep/upkeep.ts";
import { createLog } from "../../lib/platform/logging/log.ts";
import { users } from "../../schema/db/identity/users.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { close, listen, thisMachine } from "../../server/listen.ts";
import { serverParts } from "../../server/parts.ts";

/** The service on this machine over HTTP, at the simulated time. */
export type ServiceUnderTest = AsyncDisposable & {
  url: string;
  errors: string[];
  /** Moves the clock by restarting the service with another CLOCK_OFFSET. Must not run during requests. */
  moveTo(moment: Date): Promise<void>;
  /** Runs the scheduled jobs, except mail and nightly ones. */
  doScheduled(): Promise<void>;
  /** Runs retention, which is scheduled at night. */
  forget(): Promise<void>;
  /** Replaces the mail that confirms an address; the simulation sends no mail. */
  confirmAddress(email: string): Promise<void>;
};

/** Starts the service with a practice tutor that responds immediately. */
export async function startServiceWithPracticeTutor(databaseUrl: string): Promise<ServiceUnderTest> {
  await using started = new AsyncDisposableStack();
  const tutor = await startPracticeTutor({ pauseMs: 0 });
  started.defer(() => tutor.close());
  const errors: string[] = [];
  let deps = await wireAt(new Date(), databaseUrl, tutor.url, errors);
  started.defer(() => deps.close());
  let app = createApp(deps, allEndpointGroups) as unknown as Hono;
  const server = await listen((request) => app.fetch(request), 0, thisMachine);
  started.defer(() => close(server, 0));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const all = started.move();
  return {
    url: `http://${thisMachine}:${port}${deps.config.API_V1_PREFIX}`,
    errors,
    async moveTo(moment) {
      await deps.close();
      deps = await wireAt(moment, databaseUrl, tutor.url, errors);
      app = createApp(deps, allEndpointGroups) as unknown as Hono;
    },
    async doScheduled() {
      const { signal } = new AbortController();
      const own = withScheduleDb(deps);
      await createNotificationsAndQueueMails(own, signal);
      await recomputeStaleCourseProgress(own.db, signal);
      await closeAndGradeDueAttempts(own, signal);
      await processImports(own, signal);
      await runFrequentUpkeep(own, signal);
    },
    async forget() {
      await runRetentionPolicies(withScheduleDb(deps), new AbortController().signal);
    },
    async confirmAddress(email) {
      await deps.db
        .update(users)
        .set({ email_verified_at: deps.now().toISOString() })
        .where(eq(users.email, email));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function wireAt(moment: Date, databaseUrl: string, tutorUrl: string, errors: string[]) {
  const config = loadConfig({
    ENVIRONMENT: "development",
    CLOCK_OFFSET: `${Math.round((moment.getTime() - Date.now()) / 1000)}s`,
    SECRET_KEY: "a key for one simulated term alone",
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: "10",
    BCRYPT_COST: "4",
    ENABLE_METRICS: "false",
    ENABLE_ACCESS_LOG: "false",
    SLOW_QUERY_THRESHOLD_MS: "60000",
    LOG_LEVEL: "ERROR",
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "practice",
    DIRECT_API_MODEL: "practice-tutor",
    DIRECT_API_BASE_URL: tutorUrl,
  });
  const log = createLog(config, { write: (line) => errors.push(line.trim()) });
  return await createDeps(config, { parts: serverParts, log });
}
