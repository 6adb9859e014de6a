import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../../../lib/platform/db/query/rows.ts";
import { processTrials } from "../../../../lib/tutor/trials/work.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import type { World } from "../../../support/world.ts";
import { answerTo, openSession } from "../chat/support.ts";

export const prices = { "model-of-the-tests": { input: 3, output: 15 } };

/** The active version of the tutor's prompt in a new database. */
export const taught = 1;

/** A tutor question with its key, as a model writes it. */
export const asking = (text: string, id = "q1", options = ["A", "B"]) => [
  `${text}\n\n\`\`\`mcq\n${JSON.stringify({
    questionId: id,
    question: "Which of them?",
    options: options.map((one) => ({ id: one, text: `Option ${one}` })),
  })}\n\`\`\`\n\n\`\`\`key\n${JSON.stringify({ answer: "A", misconceptions: [], skill: "loops" })}\n\`\`\``,
];

const counted = z.object({ count: z.int() });

export function trialsOf(world: World) {
  const make = makersOf(world);

  const count = async (table: SQL): Promise<number> => {
    const [row] = await rowsOf(world.deps.db, counted, sql`select count(*)::int as count from ${table}`);
    return row?.count ?? 0;
  };

  /** A topic whose class has received a greeting and answers to `A` and `B`, and its authors. */
  async function classWithTree() {
    const topic = await make.topic();
    const answers = ["A", "B"];
    world.llm.script(
      { chunks: asking("Let us begin with the first loop of all.") },
      ...answers.map((one) => ({ chunks: asking(`You said ${one}, and so we go on.`, `after-${one}`) })),
    );
    for (const one of answers) {
      const session = await openSession(world.as(await make.person()), topic.item.id);
      await session.say("Start.");
      await session.say(answerTo("q1", one));
    }
    const author = world.as(await make.holder("instructor", topic.course.university_id));
    return { ...topic, author };
  }

  async function newVersion(author: ReturnType<World["as"]>, prompt: string, config: object = {}) {
    const { body, status } = await author.post("/prompts/", { name: "tutor", prompt, config });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.version as number;
  }

  const work = () => processTrials(world.deps, noDeadline());

  async function started(author: ReturnType<World["as"]>, version: number, input: object) {
    const all = `/prompts/tutor/versions/${version}/trials`;
    const { body, status } = await author.post(all, input);
    if (status !== 202) throw new Error(JSON.stringify(body));
    const path = `${all}/${body.id}`;
    await author.post(`${path}/start`);
    return {
      made: body,
      path,
      report: () => author.get(path),
      cases: (query = "") => author.get(`${path}/cases${query}`),
      stop: () => author.post(`${path}/stop`),
    };
  }

  return { make, count, classWithTree, newVersion, work, started };
}

/** A database that is unreachable from that statement on: before it runs or right after. */
export function dyingAt(world: World, number: number, moment: "before" | "after") {
  let done = 0;
  const { db } = world.deps;
  const execute: typeof db.execute = ((statement: never) => {
    done += 1;
    if (done > number || (done === number && moment === "before")) return Promise.reject(new Error("killed"));
    const result = db.execute(statement);
    return done === number ? result.then(() => Promise.reject(new Error("killed"))) : result;
  }) as never;
  return new Proxy(db, { get: (it, name) => (name === "execute" ? execute : Reflect.get(it, name)) });
}
