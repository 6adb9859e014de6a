import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { startPracticeTutor } from "../../../scripts/dev/practice-tutor.ts";
import { createInProcessService } from "../in-process-service.ts";
import { median } from "../measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "../report.ts";
import { createTimedRequestSender, type DecadeEnvironment } from "./environment.ts";

const rounds = 20;

/** Warm-up requests, for the connection's plans. */
const warming = 5;

const maxLearnerWriteMs = 100;

/** Limit of rows read by a write, independent of the amount of data. Small tables are read completely. */
const maxRowsReadPerWrite = 1000;

/** The current offering of the course that everyone takes, and its course. */
const run = 20;
const course = 1;

type Send = (person: number, path: string, body: object) => Promise<{ ms: number; text: string }>;

type Stage = { url: string; client: pg.Client; tutorUrl: string; people: readonly number[] };

/** Duration of a learner's write, and rows read for it in all tables. */
type Cost = { ms: number; rows: number };

/** A learner's everyday writes after ten years: duration and rows read. */
export async function benchLearnerWritesAfterTenYears({
  url,
  client,
}: DecadeEnvironment): Promise<BenchVerdict[]> {
  const tutor = await startPracticeTutor({ pauseMs: 0 });
  try {
    const { rows: learners } = await client.query<{ id: number }>(
      "select user_id as id from enrollments where course_offering_id = $1 order by id limit $2",
      [run, rounds + warming],
    );
    const stage = { url, client, tutorUrl: tutor.url, people: learners.map(({ id }) => id) };
    const costOf = (write: Parameters<typeof costOfWrite>[1]) => costOfWrite(stage, write);

    const assignment = await addAssignment(client);
    // Idle connections report their statistics within ten seconds.
    await delay(11_000);
    const place = await prepare(stage);
    const writes: Record<string, Cost> = {
      "A post of progress": await costOf((send, person, at) =>
        send(person, "/progress/content", {
          ...{ content_item_id: 3, course_offering_id: run, progress_percent: 41 + (at % 50) },
        }),
      ),
      "A submission": await costOf((send, person, at) =>
        send(person, `/assessments/offerings/${run}/assignments/${assignment}/submissions`, {
          body: `What I made, ${at}`,
        }),
      ),
      "A message with a stored answer": await costOf((send, _person, at) => {
        const { person, session } = place.talks[at % place.talks.length] ?? { person: 0, session: 0 };
        return send(person, `/chat/sessions/${session}/messages`, { content: "Start." });
      }),
      "A message with a new answer": await costOf((send, _person, at) => {
        const { person, session } = place.talks[at % place.talks.length] ?? { person: 0, session: 0 };
        return send(person, `/chat/sessions/${session}/messages`, { content: "Why is that so?" });
      }),
      "A post of a discussion": await costOf((send, person, at) =>
        send(person, `/community/threads/${place.thread}/posts`, { body: `What I think, ${at}` }),
      ),
    };
    return Object.entries(writes).flatMap(([what, { ms, rows }]) => [
      upperLimitVerdict(what, Math.round(ms), maxLearnerWriteMs, "ms"),
      upperLimitVerdict(
        `Rows that it reads, ${what.toLowerCase()}`,
        Math.round(rows),
        maxRowsReadPerWrite,
        "rows",
      ),
    ]);
  } finally {
    await tutor.close();
  }
}

/** An assignment in everyone's course: the ten years contain only texts. */
async function addAssignment(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
     select module_id, course_id, university_id, (select id from content_types where name = 'assignment'), 'Work',
            '{"max_points": 80}', sequence_index + 1
     from content_items as last where course_id = $1 order by last.id desc limit 1 returning id`,
    [course],
  );
  return rows[0]?.id ?? 0;
}

type Place = { talks: { person: number; session: number }[]; thread: number };

/** Creates a conversation per learner and a discussion. The first conversation generates the greeting. */
async function prepare(stage: Stage): Promise<Place> {
  const idOf = ({ text }: { text: string }): number => JSON.parse(text).id;
  const talks: Place["talks"] = [];
  let thread = 0;
  await withApp(stage, async (post) => {
    for (const person of stage.people)
      talks.push({ person, session: idOf(await post(person, "/chat/sessions", { content_item_id: 2 })) });
    const [first] = talks;
    if (!first) throw new Error("nobody is in everyone's course");
    await post(first.person, `/chat/sessions/${first.session}/messages`, { content: "Start." });
    const begun = { body: "What do you think?" };
    thread = idOf(await post(first.person, `/community/offerings/${run}/threads`, begun));
  });
  return { talks, thread };
}

/** Uses a separate app: connections report their statistics when they end, and this waits for it. */
async function withApp({ url, client, tutorUrl }: Stage, work: (send: Send) => Promise<void>): Promise<void> {
  const others = await connections(client);
  const app = await createInProcessService(url, tutorUrl);
  try {
    await work(postOf(app));
  } finally {
    await app.deps.close();
  }
  while ((await connections(client)).some((pid) => !others.includes(pid))) await delay(50);
}

const postOf = (app: Awaited<ReturnType<typeof createInProcessService>>): Send => {
  const send = createTimedRequestSender(app);
  return (person, path, body) => send(person, "POST", path, body);
};

async function costOfWrite(
  stage: Stage,
  write: (send: Send, person: number, at: number) => Promise<{ ms: number }>,
): Promise<Cost> {
  const before = await rowsRead(stage.client);
  const times: number[] = [];
  await withApp(stage, async (send) => {
    for (const [at, person] of stage.people.entries()) times.push((await write(send, person, at)).ms);
  });
  const rows = (await rowsRead(stage.client)) - before;
  return { ms: median(times.slice(warming)), rows: rows / stage.people.length };
}

async function connections(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  );
  return rows.map(({ pid }) => pid);
}

async function rowsRead(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_user_tables",
  );
  return rows[0]?.rows ?? Number.NaN;
}
