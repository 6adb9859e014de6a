import { visitOfLearner } from "../capacity-model/visit.ts";
import type { LoadedOperation } from "./baseline/operations.ts";
import { inTurns } from "./baseline/rounds.ts";
import { type BaselineStage, openBaseline, type Server } from "./baseline/stage.ts";
import { type Cost, keepCosts } from "./costs.ts";
import type { BenchEnvironment } from "./environment.ts";
import { processorTime } from "./processor-time.ts";
import { atMost, type Verdict } from "./report.ts";

const pace = { rounds: 3, seconds: 2 };
const crowd = 16;

/** What each request of a visit costs that the bench against the bare server has not, written beside those. */
export async function benchVisit(stage: BenchEnvironment): Promise<Verdict[]> {
  const baseline = await openBaseline(stage);
  const found: Record<string, Cost> = {};
  const verdicts: Verdict[] = [];
  try {
    const ours = await baseline.startOurs();
    for (const operation of visitOn(baseline)) {
      const sending = { sent: baseline.sentBy(operation), postmaster: stage.postmaster };
      const measured = (await inTurns({ ours }, pace, crowd, sending)).ours;
      found[operation.name] = {
        process_ms: measured.process,
        database_ms: measured.database,
      };
      console.log(`    ${operation.name}: ${told(found[operation.name] as Cost)}`);
      verdicts.push(atMost(`Refusals of ${operation.name}`, measured.errors, 0, "requests"));
    }
    const answers = await costOfNewAnswers(baseline, ours);
    found["new answer"] = answers.cost;
    verdicts.push(atMost("Refusals of new answers", answers.refused, 0, "requests"));
  } finally {
    await baseline.close();
  }
  await keepCosts(found);
  return verdicts;
}

const answersEach = 12;

/**
 * What an answer costs that the LLM writes for one learner alone: each of a crowd asks for the next when they have been given
 * one, of which the first is not counted. The LLM is a process of its own.
 */
async function costOfNewAnswers(
  { classroom, operations, sentBy, postmaster }: BaselineStage,
  server: Server,
): Promise<{ cost: Cost; refused: number }> {
  const [known] = operations;
  if (!known) throw new Error("there are no operations");
  const asked = loaded("new answer", (learner) => ({
    method: "POST",
    path: `/chat/sessions/${classroom.learners[learner]?.session_id}/messages`,
    body: { content: "Why is that so?" },
  }));
  let refused = 0;
  const ask = async (times: number) => {
    const learners = Array.from({ length: crowd }, (_, learner) => learner);
    await Promise.all(
      learners.map(async (learner) => {
        for (let time = 0; time < times; time += 1) {
          const { path, ...init } = sentBy({ ...known, ...asked })(learner);
          const answer = await fetch(server.url + path, init);
          if (!answer.ok || (await answer.text()).includes('"error"')) refused += 1;
        }
      }),
    );
  };
  await ask(1);
  const before = await processorTime(server.pid, postmaster);
  await ask(answersEach);
  const after = await processorTime(server.pid, postmaster);
  const count = crowd * answersEach;
  const cost = {
    process_ms: (after.process - before.process) / count,
    database_ms: (after.database - before.database) / count,
  };
  console.log(`    new answer: ${told(cost)}`);
  return { cost, refused };
}

/** The requests of a visit by the names of their costs, but for a new answer. */
function visitOn({ operations, classroom }: BaselineStage): LoadedOperation[] {
  const { learners, course_id, offering_id, content_item_id } = classroom;
  const session = (learner: number) => learners[learner % learners.length]?.session_id;
  const paths: Record<string, (learner: number) => string> = {
    "auth/oidc/providers": () => "/auth/oidc/providers",
    "users/me/roles": () => "/users/me/roles",
    home: () => "/users/me/home",
    notifications: () => "/users/me/notifications?unread=true&limit=1",
    "outline of a course (200)": () => `/courses/${course_id}/offerings/${offering_id}/outline`,
    "content item": () => `/content/${content_item_id}`,
    "chat sessions": () => "/chat/sessions?limit=100",
    "chat session": (learner) => `/chat/sessions/${session(learner)}`,
  };
  const reads = Object.entries(paths).map(([name, pathOf]) =>
    loaded(name, (learner) => ({ method: "GET", path: pathOf(learner) })),
  );
  const known = new Set([...operations.map(({ name }) => name), ...Object.keys(paths)]);
  const unknown = visitOfLearner.filter(
    ({ cost }) => !known.has(cost) && !["chat session begun", "new answer"].includes(cost),
  );
  if (unknown.length > 0) throw new Error(`nobody measures ${unknown.map(({ cost }) => cost).join(", ")}`);
  return [
    ...reads,
    loaded("chat session begun", () => ({
      method: "POST",
      path: "/chat/sessions",
      body: { content_item_id },
    })),
  ];
}

const loaded = (name: string, request: LoadedOperation["request"]): LoadedOperation => ({
  ...{ name, request, crowds: [crowd], goal: 0, alike: false },
});

const told = ({ process_ms, database_ms }: Cost): string =>
  `${process_ms.toFixed(3)} ms of the process, ${database_ms.toFixed(3)} of the database`;
