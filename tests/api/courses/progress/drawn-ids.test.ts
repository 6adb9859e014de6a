import { describe, expect, it } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** The number of ids drawn from each sequence during work, without unused sequences. */
async function drawnBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await drawn();
  await work();
  const after = await drawn();
  const grown = [...after].map(([name, last]) => [name, last - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, ids]) => ids > 0));
}

async function drawn(): Promise<Map<string, number>> {
  const { rows } = await world.deps.db.execute<{ name: string; last: number }>(
    "select sequencename as name, last_value::float8 as last from pg_sequences where last_value is not null",
  );
  return new Map(rows.map(({ name, last }) => [name, last]));
}

const times = async (count: number, work: (turn: number) => Promise<unknown>) => {
  for (let turn = 0; turn < count; turn += 1) await work(turn);
};

describe("ids are drawn for new rows alone", () => {
  it("by 50 posts of progress in an item and in its module: one each", async () => {
    const { item, module, offering } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const client = world.as(learner);
    const at = { course_offering_id: offering.id };
    const statuses = new Set<number>();
    const ids = await drawnBy(() =>
      times(50, async (turn) => {
        const item_post = { ...at, content_item_id: item.id, progress_percent: turn };
        statuses.add((await client.post("/progress/content", item_post)).status);
        const module_post = { ...at, module_id: module.id, progress_percent: turn };
        statuses.add((await client.post("/progress/modules", module_post)).status);
      }),
    );
    expect([...statuses]).toEqual([200]);
    expect(ids).toMatchObject({ user_content_progress_id_seq: 1, user_module_progress_id_seq: 1 });
  });

  it("by two concurrent first posts: both are stored, in one row", async () => {
    const { item, offering } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const post = (progress_percent: number) =>
      world.as(learner).post("/progress/content", {
        ...{ course_offering_id: offering.id, content_item_id: item.id, progress_percent },
      });
    const replies = await Promise.all([10, 20, 30, 40].map(post));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(Math.max(...replies.map(({ body }) => body.attempts_count))).toBe(4);
  });

  it("by work that is handed in and graded again and again: one of progress", async () => {
    const { submit, grade } = await openLab(world);
    const ids = await drawnBy(() =>
      times(3, async (turn) => {
        const work = await submit({ body: `Try ${turn}` });
        expect(work.status).toBe(201);
        expect((await grade(work.body.id, 10 + turn)).status).toBe(200);
      }),
    );
    expect(ids).toMatchObject({ lab_submissions_id_seq: 3, user_content_progress_id_seq: 1 });
  });

  it("by a review and a report that are written again: one each", async () => {
    const { offering } = await make.topic();
    const [learner, other] = [await make.person(), await make.person()];
    for (const { id } of [learner, other])
      await make.enrollment(id, offering.id, "COMPLETED", { completion_source: "STAFF" });
    const review = `/community/offerings/${offering.id}/review`;
    const ids = await drawnBy(() =>
      times(5, async (turn) => {
        const written = await world.as(learner).put(review, { rating: 1 + turn, review_text: "Said again" });
        expect(written.status, JSON.stringify(written.body)).toBe(200);
        const reported = await world
          .as(other)
          .put(`/community/reviews/${written.body.id}/report`, { reason: `Reason ${turn}` });
        expect(reported.status, JSON.stringify(reported.body)).toBe(200);
      }),
    );
    expect(ids).toMatchObject({ course_reviews_id_seq: 1, discussion_reports_id_seq: 1 });
  });

  it("by a cause of a notification that is met again: one", async () => {
    const reader = await make.person();
    const ids = await drawnBy(() =>
      times(5, () =>
        world.deps.db.execute(`select notify(array[${reader.id}], 'place_obtained', 'place:1', now())`),
      ),
    );
    expect(ids).toEqual({ notifications_id_seq: 1 });
  });
});
