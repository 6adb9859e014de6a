import { readFile } from "node:fs/promises";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { seed } from "../../scripts/seed.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { firstMessageRequest, insertLearnersWithChatSessions } from "./learners.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";
import { readAndTimeStream } from "./streams.ts";

/** Concurrent readers of private answers. */
export const privateStreamCount = 1000;

const maxStreamServerMegabytes = 300;

/** Slow enough that the first answer still runs when the last begins. */
const pauseMs = 400;

/**
 * Peak resident megabytes of the service's process while a thousand learners read private answers. NaN
 * without /proc. Needs a seeded database.
 */
export async function measurePeakMegabytesOfStreams(
  stage: BenchEnvironment,
  settings: Record<string, string> = {},
): Promise<number> {
  const tutor = await startPracticeTutor({ pauseMs });
  const environment = { ...benchServiceSettings(stage.databaseUrl, tutor.url), ...settings };
  const deps = await createDeps(loadConfig(environment), {
    database: await connectDatabase({ url: stage.databaseUrl }),
  });
  const learners = await insertLearnersWithChatSessions(deps, privateStreamCount, `private${Date.now()}`);
  const { url, pid } = await stage.start<ServerUrlAndPid>("platform-server.ts", environment);
  await Promise.all(
    learners.map((learner, at) => {
      const body = JSON.stringify({ content: `What does example ${at} of my own notes mean?` });
      return readAndTimeStream({ ...firstMessageRequest(url, learner), body });
    }),
  );
  const megabytes = await peakResidentMegabytes(pid);
  await deps.close();
  await tutor.close();
  return megabytes;
}

/** Measures their memory on a separate database. */
export async function benchPrivateStreamMemory(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const database = await connectDatabase({ url: stage.databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  return [streamMemoryVerdict(await measurePeakMegabytesOfStreams(stage))];
}

export const streamMemoryVerdict = (megabytes: number): BenchVerdict =>
  upperLimitVerdict(
    `${privateStreamCount} private streams`,
    Math.round(megabytes),
    maxStreamServerMegabytes,
    "MB resident",
  );

/** A process's peak resident megabytes; NaN without /proc. */
export async function peakResidentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
