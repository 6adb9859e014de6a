import { sql } from "drizzle-orm";
import * as z from "zod";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { seed } from "../../scripts/seed.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { firstMessageRequest, insertLearnersWithChatSessions } from "./learners.ts";
import { median } from "./measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";
import {
  type ConcurrentStreamsResult,
  measureConcurrentStreams,
  readAndTimeStream,
  type StreamRequest,
} from "./streams.ts";

const rounds = 5;
const secondsOfRound = 2;

const StoredAnswer = z.object({ id: z.int(), chunks: z.int() });

/** Compares stored answers with a bare replay server, and a class that follows one running generation. */
export async function benchReplayAndLiveFollowers(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const tutor = await startPracticeTutor();
  const environment = {
    ...benchServiceSettings(stage.databaseUrl, tutor.url),
    ENABLE_ACCESS_LOG: "false",
  };
  const deps = await createDeps(loadConfig(environment), {
    database: await connectDatabase({ url: stage.databaseUrl }),
  });
  await seed(deps.db, { now: new Date(), bcryptCost: 4 });
  const ours = await stage.start("platform-server.ts", environment);
  const bare = await stage.start("bare-replay-server.ts", environment);
  const verdicts: BenchVerdict[] = [];

  const readers = await insertLearnersWithChatSessions(deps, 64, "reader");
  const [first] = readers;
  if (!first) throw new Error("there is no class");
  await readAndTimeStream(firstMessageRequest(ours.url, first));
  const newest = sql`select id, jsonb_array_length(chunks) as chunks from cache_nodes order by id desc limit 1`;
  const [node] = await rowsOf(deps.db, StoredAnswer, newest);
  const baseline: StreamRequest = { url: `${bare.url}/${node?.id}` };
  for (const crowd of [1, 16, 64]) {
    const askOf = (reader: number): StreamRequest => firstMessageRequest(ours.url, readers[reader] ?? first);
    verdicts.push(await compareCrowd(crowd, node?.chunks ?? 0, askOf, () => baseline));
  }

  const followers = await insertLearnersWithChatSessions(deps, 1000, "follower");
  const streams = await Promise.all(
    followers.map((learner) => readAndTimeStream(firstMessageRequest(ours.url, learner))),
  );
  const times = streams.map(({ milliseconds }) => milliseconds);
  const alone = await insertLearnersWithChatSessions(deps, 1, "leader");
  const leader = await readAndTimeStream(firstMessageRequest(ours.url, alone[0] ?? first));
  verdicts.push(
    upperLimitVerdict(
      "1000 followers, the last of them",
      Math.max(...times) / leader.milliseconds,
      1.5,
      "times a leader alone",
    ),
  );
  await deps.close();
  await tutor.close();
  return verdicts;
}

type AskOf = (reader: number) => StreamRequest;

async function compareCrowd(
  crowd: number,
  chunks: number,
  ours: AskOf,
  baseline: AskOf,
): Promise<BenchVerdict> {
  const found: { ours: ConcurrentStreamsResult[]; baseline: ConcurrentStreamsResult[] } = {
    ours: [],
    baseline: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await measureConcurrentStreams(ours, crowd, secondsOfRound));
    found.baseline.push(await measureConcurrentStreams(baseline, crowd, secondsOfRound));
  }
  const [our, bare] = [middle(found.ours), middle(found.baseline)];
  const ratio = our.perSecond / bare.perSecond;
  const rates = `${our.perSecond.toFixed(0)}/s against ${bare.perSecond.toFixed(0)}/s`;
  const firsts = `${our.firstChunkMilliseconds.toFixed(1)} ms against ${bare.firstChunkMilliseconds.toFixed(1)} ms`;
  return {
    what: `Stored answers of ${chunks} chunks, ${crowd} at once`,
    found: `${ratio.toFixed(2)} of the bare server's rate (${rates}), first chunk ${firsts}`,
    promised: "at least 0.5",
    reached: ratio >= 0.5,
  };
}

const middle = (all: readonly ConcurrentStreamsResult[]): ConcurrentStreamsResult => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  firstChunkMilliseconds: median(all.map(({ firstChunkMilliseconds }) => firstChunkMilliseconds)),
});
