import type { ToolUnderLoad } from "./lti-tools.ts";
import { runConcurrently } from "./run-concurrently.ts";

/** Connections of the tool's server. */
const connections = 16;

type Score = { learner: number; item: number; scoreGiven: number };
type Sent = { item: number; body: Record<string, unknown>; status: number };

const sentAt = Date.parse("2026-01-01T12:00:00Z");
const at = (minutes: number): string => new Date(sentAt + minutes * 60_000).toISOString();

/**
 * Sends each learner's score for each item, and every tenth request a faulty one. Returns the scores that must be
 * stored, by learner and item, and the 95th percentile of another person's reads.
 */
export async function measureScorePostsWithFaults(tool: ToolUnderLoad, requests: number) {
  const subjects = await subjectsOf(tool);
  const wanted = scoresOf(tool, requests - Math.floor(requests / 10));
  const expected = new Map<string, number>();
  let unexpected = 0;
  const send = async ({ item, body, status }: Sent): Promise<void> => {
    const answered = await fetch(
      `${tool.url}/lti/tools/offerings/${tool.offering}/line-items/${item}/scores`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${tool.accessToken}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      },
    );
    await answered.arrayBuffer();
    if (answered.status !== status) unexpected += 1;
  };
  const scoreOf = (one: Score, minutes = 0) => ({
    ...{
      userId: subjects.get(one.learner),
      scoreGiven: one.scoreGiven,
      scoreMaximum: 100,
      timestamp: at(minutes),
    },
    ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
  });
  const over = new AbortController();
  const reads = readDuring(tool, over.signal);
  const started = performance.now();
  await runConcurrently(wanted.entries(), connections, async ([n, score]) => {
    await send({ item: score.item, body: scoreOf(score), status: 204 });
    expected.set(`${score.learner} ${score.item}`, score.scoreGiven);
    if (n % 9 === 8) await send(faultyScore(Math.floor(n / 9), score, scoreOf));
  });
  const seconds = (performance.now() - started) / 1000;
  over.abort();
  return { seconds, expected, unexpected, slowRead: await reads };
}

/** After a stored score: one that is bad, of a stranger, replayed or out of order. None may change a grade. */
function faultyScore(
  n: number,
  score: Score,
  scoreOf: (one: Score, minutes?: number) => Record<string, unknown>,
): Sent {
  const { item } = score;
  const other = { ...score, scoreGiven: 100 - score.scoreGiven };
  switch (n % 5) {
    case 0:
      return { item, body: { ...scoreOf(other, 1), scoreGiven: 101 }, status: 400 };
    case 1:
      return { item, body: { ...scoreOf(other, 1), userId: "A".repeat(22) }, status: 404 };
    case 2:
      return { item, body: { ...scoreOf(other, 1), timestamp: "yesterday" }, status: 422 };
    case 3:
      return { item, body: scoreOf(score), status: 204 };
    default:
      return { item, body: scoreOf(other, -1), status: 409 };
  }
}

function scoresOf({ learners, items }: ToolUnderLoad, count: number): Score[] {
  const all = items.flatMap((item, place) =>
    learners.map((learner, n) => ({ learner, item, scoreGiven: (n + place) % 101 })),
  );
  return all.slice(0, count);
}

/** Pseudonyms of the learners, in the order of their accounts, as the roster is. */
async function subjectsOf({
  url,
  offering,
  learners,
  accessToken,
}: ToolUnderLoad): Promise<Map<number, string>> {
  const subjects: string[] = [];
  const headers = { authorization: `Bearer ${accessToken}` };
  for (
    let next: string | undefined = `${url}/lti/tools/offerings/${offering}/memberships?limit=1000`;
    next;
  ) {
    const page: Response = await fetch(next, { headers });
    const { members } = (await page.json()) as { members: { user_id: string }[] };
    subjects.push(...members.map(({ user_id }) => user_id));
    [, next] = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "") ?? [];
  }
  if (subjects.length !== learners.length) throw new Error(`the roster has ${subjects.length} people`);
  return new Map(learners.toSorted((a, b) => a - b).map((learner, n) => [learner, subjects[n] ?? ""]));
}

/** Milliseconds of another person's reads, one after another; the 95th percentile. */
async function readDuring({ url, tokenOf, learners }: ToolUnderLoad, over: AbortSignal): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(learners[0] ?? 0)}` };
  const times: number[] = [];
  while (!over.aborted) {
    const began = performance.now();
    await (await fetch(`${url}/api/v1/users/me`, { headers })).arrayBuffer();
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}
