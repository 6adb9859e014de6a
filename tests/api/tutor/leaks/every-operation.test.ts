import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { openDryRun } from "../../../support/dry-run.ts";
import { addressOf, bodyOf, type Operation, operations, type Values } from "../../../support/operations.ts";
import { allOr } from "../../../support/representatives.ts";
import { anyCanary, canariesIn, canary, type Planted, plantCanaries } from "./canaries.ts";

/*
 * No operation may show a learner any part of answer keys, notes, tutor instructions, pool keys or hidden
 * files. New operations are included automatically.
 */

let planted: Planted;
const dryRun = openDryRun(async (world, university) => {
  planted = await plantCanaries(world, university);
});

/** Responses that the learner got without an error. */
const answered = new Set<string>();

/** Log lines, which a dry run discards. */
const logged: string[] = [];
beforeAll(() => {
  const { log } = dryRun.world;
  log.push = (...lines) => logged.push(...lines.map((line) => JSON.stringify(line)));
});

/** The same operation for each object with canaries. */
function targets(): Values[] {
  const { paths } = dryRun.university;
  const { ids, quiz, lab, staffThread, aside } = planted;
  const of = (item: number) => ({ content_id: item, content_item_id: item });
  return [
    { ...paths, ...ids },
    { ...paths, ...ids, ...of(quiz.id), thread_id: staffThread, session_id: aside },
    { ...paths, ...ids, ...of(lab.id), file_id: lab.file_id },
  ];
}

type Person = { id: number } | undefined;

async function reply(
  operation: Operation,
  person: Person,
  values: Values,
  more: Values = {},
): Promise<string> {
  const { fields } = dryRun.university;
  const body = bodyOf(operation, { ...fields, ...planted.ids, ...more });
  const { status, headers, text } = await dryRun.ask(person, {
    method: operation.method,
    path: addressOf(operation, values),
    body,
  });
  if (status < 300 && person === planted.person) answered.add(operation.contract.id);
  return JSON.stringify([status, [...headers], text]);
}

const someone = (name: string): Person => dryRun.university.people.find((one) => one.name === name);

describe("no learner reads staff's or the tutor's data", () => {
  it.each(operations)("in an answer of $name", async (operation) => {
    const [whole, ...others] = targets();
    const learner = [planted.person, [whole, ...(operation.method === "GET" ? others : [])]] as const;
    const all = [learner, [someone("student of the university"), [whole]], [undefined, [whole]]] as const;
    // In `npm test` only the learner, who sees more than the others.
    for (const [person, things] of allOr<(typeof all)[number]>(all, () => [learner]))
      for (const values of things)
        expect(canariesIn(await reply(operation, person, values ?? {})), `${person?.id}`).toEqual([]);
  });

  it("as a classmate in the same course", async () => {
    const reads = operations.filter(({ method }) => method === "GET");
    const [classmate] = (
      await dryRun.world.deps.db.execute<{ user_id: number }>(
        sql`select user_id from enrollments where course_offering_id = ${dryRun.university.paths["offering_id"]}
            and user_id not in (${planted.person.id}, ${dryRun.university.learner.id}) limit 1`,
      )
    ).rows;
    for (const operation of reads)
      for (const values of allOr(targets(), () => targets().slice(0, 1)))
        expect(
          canariesIn(await reply(operation, { id: classmate?.user_id ?? planted.person.id }, values)),
          operation.name,
        ).toEqual([]);
  });
});

describe("searching finds nothing by it", () => {
  const searched = operations.filter(({ parameters }) =>
    parameters.some(({ name, in: where }) => where === "query" && /^(q|search|query)$/.test(name)),
  );

  it.each(searched)("in $name", async (operation) => {
    const { parameters } = operation;
    const name = parameters.find((one) => /^(q|search|query)$/.test(one.name))?.name ?? "";
    for (const values of targets()) {
      const ask = async (words: string) => {
        const path = addressOf(operation, values);
        const { status, text } = await dryRun.ask(planted.person, {
          method: operation.method,
          path: `${path}${path.includes("?") ? "&" : "?"}${name}=${words}`,
        });
        return `${status} ${text.replaceAll(words, "")}`;
      };
      const nothing = await ask("zzqqxx");
      for (const kind of ["item-notes", "course-line", "pool-key", "hidden-file"] as const)
        expect(await ask(canary(kind))).toBe(nothing);
    }
  });
});

describe("no line of the log contains it", () => {
  const words = Object.fromEntries(
    ["notes", "tutor_line", "skill", "answer", "explanation"].map((field) => [field, canary("item-notes")]),
  );

  it.each(operations.filter(({ path }) => /tutor|tree|content|questions|pools|chat|courses/.test(path)))(
    "when staff ask for $name, also with bodies that are refused",
    async (operation) => {
      const lists = Object.fromEntries(
        ["key_facts", "common_errors", "never_say"].map((field) => [field, [canary("item-never-say")]]),
      );
      const from = logged.length;
      const [taken, refused] = [
        { ...words, ...lists },
        { ...words, key_facts: canary("item-fact") },
      ];
      for (const more of allOr([taken, refused], () => [refused]))
        await reply(
          operation,
          someone("platform_admin of the university"),
          { ...targets()[0], ...words },
          more,
        );
      expect(logged.slice(from).filter((line) => anyCanary.test(line))).toEqual([]);
    },
  );

  it("nor when learners ask as above, and are answered", () => {
    const reads = [
      "getChatSession",
      "listChatMessages",
      "getSharedChatSession",
      "sendChatMessage",
      "exportMyData",
      "getContent",
      "getCourse",
      "getDiscussionThread",
      "listFlashcards",
      "getQuizAttempt",
      "getCourseOfferingOutline",
    ];
    expect(reads.filter((id) => !answered.has(id))).toEqual([]);
    expect(answered.size).toBeGreaterThan(100);
    expect(logged.length).toBeGreaterThan(1000);
    expect(logged.filter((line) => anyCanary.test(line))).toEqual([]);
  });
});

it("the secrets exist, and staff read them", async () => {
  const { topic, quiz, lab } = planted;
  const staff = someone("platform_admin of the university");
  const read = async (path: string) => (await dryRun.ask(staff, { method: "GET", path })).text;
  const { course_id, question_pool_id: _ } = dryRun.university.paths;
  const texts = await Promise.all(
    [
      `/content/${topic.id}/tutor-notes`,
      `/courses/${course_id}/tutor-notes`,
      `/content/${topic.id}`,
      `/courses/${course_id}`,
      `/content/${lab.id}`,
      `/chat/topics/${topic.id}/tree`,
    ].map(read),
  );
  const kept = await dryRun.world.deps.db.execute(sql`
    select (select json_agg(question_key) from chat_messages) as messages,
           (select json_agg(tutor_context) from chat_sessions where content_item_id in (${topic.id}, ${quiz.id})) as told,
           (select json_agg(content) from file_texts) as texts, (select json_agg(explanation) from questions) as asked,
           (select json_agg(answer_json) from questions) as keys`);
  expect(canariesIn(texts.join() + JSON.stringify(kept.rows)).sort()).toHaveLength(18);
});
