import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { walks } from "../../../scripts/dev/seed/insert-walks.ts";
import { seed } from "../../../scripts/seed.ts";
import { openWorld } from "../../support/world.ts";

type Node = {
  id: number;
  parent_id: number | null;
  hits: number;
  visits: number;
  question: { question: string } | null;
  key: { answer: string; misconceptions?: { id: string; text: string }[] } | null;
  options: { id: string; visits: number }[];
  moves_taken: { visits: number }[];
};

/** Letters of the options that a learner of a walk chose. */
const choicesIn = (steps: string): string[] => steps.match(/[ABC]/g) ?? [];

describe("the demonstration's figures", () => {
  const world = openWorld();
  beforeAll(async () => {
    world.setNow(new Date());
    await seed(world.deps.db, { now: world.deps.now(), bcryptCost: 4 });
  });

  const personCalled = async (name: string) => {
    const [person] = await world.deps.db
      .select()
      .from(users)
      .where(eq(users.email, `${name}@northgate.example`));
    return world.as(person);
  };
  const read = async (name: string, path: string) => {
    const { body, status } = await (await personCalled(name)).get(path);
    expect(status, path).toBe(200);
    return body;
  };
  const topicCalled = async (title: string) => {
    const [topic] = await world.deps.db
      .select({ id: contentItems.id, offering: courseOfferings.id, course: contentItems.course_id })
      .from(contentItems)
      .innerJoin(courseOfferings, eq(courseOfferings.course_id, contentItems.course_id))
      .where(eq(contentItems.title, title));
    if (!topic) throw new Error(`There is no topic called ${title}`);
    return topic;
  };
  const attemptsAt = ({ offering, id }: { offering: number; id: number }) =>
    `/assessments/offerings/${offering}/quizzes/${id}/attempts?limit=100`;
  const treeOf = async (title: string): Promise<Node[]> =>
    (await read("helena", `/chat/topics/${(await topicCalled(title)).id}/tree?limit=1000`)).nodes;

  it.each(walks)(
    "have a tree of $topic that 16 learners walked, each visit with its answer",
    async (walk) => {
      const nodes = await treeOf(walk.topic);
      const [root, ...others] = nodes.filter(({ parent_id }) => parent_id === null);
      expect(others).toEqual([]);
      expect(walk.learners).toHaveLength(16);
      expect(root?.visits).toBe(16);
      const answered = walk.learners.flatMap(choicesIn).length;
      const hints = walk.learners.join("").split("h").length - 1;
      expect(nodes.reduce((sum, { visits }) => sum + visits, 0)).toBe(16 + answered + hints);
      expect(nodes.flatMap(({ options }) => options).reduce((sum, { visits }) => sum + visits, 0)).toBe(
        answered,
      );
      expect(nodes.flatMap((node) => node.moves_taken).reduce((sum, { visits }) => sum + visits, 0)).toBe(
        hints,
      );
      // One call made each answer, and all other visits replayed it.
      expect(nodes.every(({ hits, visits }) => hits === visits - 1)).toBe(true);
      for (const { question, key } of nodes.filter((node) => node.question)) {
        expect(key?.misconceptions, question?.question).toHaveLength(2);
      }
    },
  );

  it.each(walks)(
    "name misconceptions of $topic from the same answers as its tree",
    async ({ topic, learners }) => {
      const { id } = await topicCalled(topic);
      const told: {
        answer: string;
        people: number;
        errors: { id: string; people: number; misconception: string }[];
      }[] = await read("helena", `/chat/topics/${id}/misconceptions`);
      const firsts = learners.map((steps) => choicesIn(steps)[0]);
      const [root] = (await treeOf(topic)).filter(({ parent_id }) => parent_id === null);
      const first = told.find(({ people }) => people === 16);
      expect(first?.answer).toBe(root?.key?.answer);
      expect(first?.errors.length).toBeGreaterThan(0);
      for (const error of first?.errors ?? []) {
        expect(error.people).toBe(firsts.filter((letter) => letter === error.id).length);
        expect(error.people).toBe(root?.options.find((option) => option.id === error.id)?.visits);
        expect(error.misconception).toBe(root?.key?.misconceptions?.find((one) => one.id === error.id)?.text);
      }
    },
  );

  it("count the tutor's answers in the reports as in the trees", async () => {
    const trees = (await Promise.all(walks.map(({ topic }) => treeOf(topic)))).flat();
    const asked = walks.flatMap(({ learners }) => learners).filter((steps) => steps.includes("?")).length;
    const hits = trees.reduce((sum, node) => sum + node.hits, 0);
    const cache = await read("priya", "/admin/analytics/cache");
    expect(cache).toMatchObject({
      cache_hit_count: hits,
      cache_miss_count: trees.length,
      total_cached_nodes: trees.length,
      total_hits_served: hits,
    });
    const tutor = await read("priya", "/admin/analytics/tutor?date_from=2000-01-01");
    expect(tutor).toMatchObject({ hits, calls: trees.length + asked });
    const parts: { hits: number; calls: number; cost_micros: number }[] = tutor.per_course_breakdown;
    for (const figure of ["hits", "calls", "cost_micros"] as const)
      expect(parts.reduce((sum, part) => sum + part[figure], 0)).toBe(tutor[figure]);
    expect(tutor.cost_micros).toBeGreaterThan(0);
  });

  it("list on the teacher's desk what the queue, the discussions and the inbox have", async () => {
    const { offerings } = await read("helena", "/users/me/teaching");
    expect(offerings.length).toBeGreaterThanOrEqual(2);
    let [toGrade, handovers, unanswered] = [0, 0, 0];
    for (const { course_offering: offering, ...desk } of offerings) {
      const queue = await read(
        "helena",
        `/assessments/offerings/${offering.id}/submissions?status=submitted`,
      );
      expect(desk.to_grade.count, "to grade").toBe(queue.length);
      const inbox = await read("helena", `/offerings/${offering.id}/tutor-inbox`);
      expect(desk.handovers.count, "handovers").toBe(inbox.handovers.length);
      toGrade += queue.length;
      handovers += inbox.handovers.length;
      unanswered += desk.unanswered_threads.count;
    }
    expect([toGrade, handovers, unanswered]).toEqual([4, 1, 1]);
  });

  it("have the same people and scores in the gradebook, the roster, the submissions and the reports", async () => {
    const lab = await topicCalled("Weighted grades");
    const book = await read("helena", `/assessments/offerings/${lab.offering}/gradebook`);
    const roster = await read(
      "helena",
      `/courses/${lab.course}/offerings/${lab.offering}/enrollments?limit=100`,
    );
    expect(book.total).toBe(17);
    expect(book.rows.map(({ full_name }: { full_name: string }) => full_name).sort()).toEqual(
      roster.map((one: { full_name: string }) => one.full_name).sort(),
    );
    const column = book.columns.findIndex(
      (one: { content_item_id: number }) => one.content_item_id === lab.id,
    );
    const scores = book.rows.map(({ cells }: { cells: { score: number | null }[] }) => cells[column]?.score);
    const graded = await read("helena", `/assessments/offerings/${lab.offering}/submissions?status=graded`);
    const given = graded.map(({ score_obtained }: { score_obtained: number }) => score_obtained);
    expect(scores.filter((score: number | null) => score !== null).sort()).toEqual(given.sort());
    expect(given.length).toBe(4);

    const quiz = await topicCalled("Check: names");
    const quizColumn = book.columns.findIndex(
      (one: { content_item_id: number }) => one.content_item_id === quiz.id,
    );
    const attempted = book.rows.filter(
      ({ cells }: { cells: { score: number | null }[] }) => cells[quizColumn]?.score !== null,
    );
    const attempts = await read("helena", attemptsAt(quiz));
    expect(attempts.length).toBe(13);
    expect(attempted.length).toBe(13);
    const other = await topicCalled("Check: time shifts");
    const others = await read("helena", attemptsAt(other));
    const report = await read("priya", "/admin/analytics/assessments?date_from=2000-01-01");
    expect(report).toMatchObject({
      quiz_attempt_count: attempts.length + others.length,
      lab_submission_count: 5,
      lab_graded_count: given.length,
      assignment_submission_count: 3,
      assignment_graded_count: 0,
    });
  });
});
