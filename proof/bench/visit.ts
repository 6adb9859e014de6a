import type { ClassroomIds } from "./baseline/classroom.ts";
import {
  type ClassroomLoadTest,
  prepareClassroomLoadTest,
  type ServerUrlAndPid,
} from "./baseline/environment.ts";
import type { BenchmarkedOperation } from "./baseline/operations.ts";
import { loadTestServersAlternately, quickRoundSchedule } from "./baseline/rounds.ts";
import { type OperationCpuCost, recordOperationCpuCosts } from "./costs.ts";
import { readCumulativeCpuMs } from "./cpu-time.ts";
import type { BenchEnvironment } from "./environment.ts";
import { learnerVisitRequests } from "./learner-visit.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

const defaultVisitSchedule = { rounds: 3, seconds: 2 };
const crowd = 16;

/**
 * Costs of a visit's requests that the baseline bench lacks. Also the database time of the visit except
 * sign-in and new answer, with and without named statements. The quick mode only checks that everything
 * works.
 */
export const benchLearnerVisitCpuCosts =
  (isQuick: boolean) =>
  async (stage: BenchEnvironment): Promise<BenchVerdict[]> => {
    const pace = isQuick ? quickRoundSchedule : defaultVisitSchedule;
    const baseline = await prepareClassroomLoadTest(stage);
    const found: Record<string, OperationCpuCost> = {};
    const verdicts: BenchVerdict[] = [];
    const whole = { named: 0, unnamed: 0 };
    try {
      const ours = await baseline.startOurs();
      const servers = { ours, unnamed: await baseline.startOurs({ DATABASE_PREPARED_STATEMENTS: "false" }) };
      const own = visitOn(baseline);
      const times = ({ name }: BenchmarkedOperation) =>
        learnerVisitRequests.filter(({ cost }) => cost === name).length;
      for (const operation of [
        ...own,
        ...baseline.operations.filter((one) => !isSignIn(one) && times(one) > 0),
      ]) {
        const sending = { sent: baseline.sentBy(operation), postmaster: stage.postmaster };
        const { ours: named, unnamed } = await loadTestServersAlternately(servers, pace, crowd, sending);
        const cost = { process_ms: named.process, database_ms: named.database };
        if (own.includes(operation)) found[operation.name] = cost;
        whole.named += times(operation) * named.database;
        whole.unnamed += times(operation) * unnamed.database;
        console.log(
          `    ${operation.name}, ${times(operation)} times: ${told(cost)}, ${unnamed.database.toFixed(3)} without names`,
        );
        verdicts.push(
          upperLimitVerdict(`Refusals of ${operation.name}`, named.errors + unnamed.errors, 0, "requests"),
        );
      }
      console.log(
        `    a visit: ${whole.named.toFixed(1)} ms of the database, ${whole.unnamed.toFixed(1)} without names`,
      );
      const answers = await costOfNewAnswers(baseline, ours);
      found["new answer"] = answers.cost;
      verdicts.push(upperLimitVerdict("Refusals of new answers", answers.refused, 0, "requests"));
    } finally {
      await baseline.close();
    }
    if (!isQuick) await recordOperationCpuCosts(found);
    return verdicts;
  };

const isSignIn = ({ name }: BenchmarkedOperation): boolean => name.startsWith("login");

const answersEach = 12;

/**
 * Cost of a private answer by the LLM in a new conversation. Each of a crowd requests the next after one
 * completes; the first is not counted. The LLM is a separate process.
 */
async function costOfNewAnswers(
  { classroom, operations, sentBy, postmaster }: ClassroomLoadTest,
  server: ServerUrlAndPid,
): Promise<{ cost: OperationCpuCost; refused: number }> {
  const [known] = operations;
  if (!known) throw new Error("there are no operations");
  const sent = (one: BenchmarkedOperation, learner: number) => {
    const { path, ...init } = sentBy({ ...known, ...one })(learner);
    return fetch(server.url + path, init);
  };
  const begun = sessionBegun(classroom);
  const sessions = await Promise.all(
    Array.from({ length: crowd }, async (_, learner) => {
      const answer = await sent(begun, learner);
      return ((await answer.json()) as { id: number }).id;
    }),
  );
  const asked = loaded("new answer", (learner) => ({
    method: "POST",
    path: `/chat/sessions/${sessions[learner]}/messages`,
    body: { content: "Why is that so?" },
  }));
  let refused = 0;
  const ask = async (times: number) => {
    await Promise.all(
      sessions.map(async (_, learner) => {
        for (let time = 0; time < times; time += 1) {
          const answer = await sent(asked, learner);
          if (!answer.ok || (await answer.text()).includes('"error"')) refused += 1;
        }
      }),
    );
  };
  await ask(1);
  const before = await readCumulativeCpuMs(server.pid, postmaster);
  await ask(answersEach);
  const after = await readCumulativeCpuMs(server.pid, postmaster);
  const count = crowd * answersEach;
  const cost = {
    process_ms: (after.process - before.process) / count,
    database_ms: (after.database - before.database) / count,
  };
  console.log(`    new answer: ${told(cost)}`);
  return { cost, refused };
}

/** A visit's requests by name, except for a new answer. */
function visitOn({ operations, classroom }: ClassroomLoadTest): BenchmarkedOperation[] {
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
  const unknown = learnerVisitRequests.filter(
    ({ cost }) => !known.has(cost) && !["chat session begun", "new answer"].includes(cost),
  );
  if (unknown.length > 0) throw new Error(`no measurement for ${unknown.map(({ cost }) => cost).join(", ")}`);
  return [...reads, sessionBegun(classroom)];
}

const sessionBegun = ({ content_item_id }: ClassroomIds): BenchmarkedOperation =>
  loaded("chat session begun", () => ({ method: "POST", path: "/chat/sessions", body: { content_item_id } }));

const loaded = (name: string, request: BenchmarkedOperation["request"]): BenchmarkedOperation => ({
  ...{ name, request, crowds: [crowd], goal: 0, alike: false },
});

const told = ({ process_ms, database_ms }: OperationCpuCost): string =>
  `${process_ms.toFixed(3)} ms of the process, ${database_ms.toFixed(3)} of the database`;
