import { beforeEach, describe, expect, it } from "vitest";
import { passagesWithoutVectorQuery } from "../../../../lib/tutor/passages/embed.ts";
import { meaningIn, vectorStandIn } from "../../../support/embeddings-stand-in.ts";
import { openSession } from "../session.ts";
import { questionOfAda } from "./conversations.ts";

const { rows, value, column } = openSession();

const model = "'amazon.titan-embed-text-v2:0'";
const moment = "'2026-03-10T12:00:00Z'";
const later = "'2026-03-11T12:00:01Z'";

const arrayOf = (vector: readonly number[]) => `'{${vector}}'::real[]`;
const asked = (words: string) => arrayOf(meaningIn(words));

const page = (...texts: string[]) =>
  `'${JSON.stringify({ blocks: texts.map((text) => ({ type: "paragraph", text: text.padEnd(90, ".") })) })}'::jsonb`;

/** Three passages of the first item, and their meanings. */
const texts = ["The pendulum goes far", "Heat flows on", "Nothing of it"];

beforeEach(async () => {
  await rows(questionOfAda);
  await rows("update content_items set is_active = false where id <> 1");
  await rows(`update content_items set data_json = ${page(...texts)} where id = 1`);
});

const passages = () => rows("select id, body from passages where content_item_id = 1 order by number");

async function embed() {
  const vectors = (await passages()).map(({ id, body }) => ({
    id: Number(id),
    vector: meaningIn(String(body)),
  }));
  await rows(
    `select store_passage_vectors(${model}, ${moment}, ${vectors.at(-1)?.id}, '${JSON.stringify(vectors)}')`,
  );
}

const found = (words: string, by = model) =>
  column(`select place -> 'block' from select_and_store_passages_for_question(
    1, (select course_id from content_items where id = 1), 3, now(), '${words}', 5, ${by}, ${asked(words)})`);

describe("without pgvector", () => {
  it("passages are found by words only, even with vectors", async () => {
    await embed();
    expect(await value("select to_regtype('vector') is null")).toBe(true);
    expect(
      await rows(`select * from rank_passages_by_vector(1, ${model}, ${asked("Does it swing?")}, 5)`),
    ).toEqual([]);
    expect(await found("Does it swing?")).toEqual([]);
    expect(await found("What of heat that flows?")).toEqual([2]);
  });
});

describe("a database that can compare vectors", () => {
  beforeEach(() => rows(vectorStandIn));

  it("passages are found by embeddings, and by words as well", async () => {
    await embed();
    expect((await found("Does it swing?"))[0]).toBe(1);
    expect(await found("Nothing warm?")).toEqual([3, 2, 1]);
  });

  it("the best of both lists are fused by rank, with k = 60", async () => {
    await embed();
    const scores = await rows(`select passage.number, score from find_passages_ignoring_access(
      1, 'Heat, nothing?', ${model}, ${asked("Heat, nothing?")}, 5) as one join passages as passage using (id) order by 2 desc`);
    const of = (number: number) => Number(scores.find((one) => one["number"] === number)?.["score"]);
    expect(of(2)).toBeCloseTo(1 / 61 + 1 / 62, 10);
    expect(of(3)).toBeCloseTo(1 / 61 + 1 / 62, 10);
    expect(of(1)).toBeCloseTo(1 / 63, 10);
  });

  it("no vector of another model or length is compared, and none of a text that was refused", async () => {
    await embed();
    expect(await found("Does it swing?", "'another'")).toEqual([]);
    await rows("update passage_vectors set vector = '{}'");
    expect(await found("Does it swing?")).toEqual([]);
    expect(await found("Heat?")).toEqual([2]);
  });

  it("closed passages are not found by their embedding either", async () => {
    await embed();
    await rows("update content_items set available_from = '2100-01-01Z' where id = 1");
    expect(await found("Does it swing?")).toEqual([]);
  });
});

describe("the sweep", () => {
  const next = (
    most = 96,
    when = moment,
    by = model,
    but: { passedOver?: number[]; refused?: number[] } = {},
  ) =>
    value(
      passagesWithoutVectorQuery({
        ...{ model: by.slice(1, -1), moment: when.slice(1, -1), most, passedOver: [], refused: [] },
        ...but,
      }),
    ) as Promise<{
      up_to: number;
      passages: { id: number; university_id: number; words: string }[];
    } | null>;
  const keep = (upTo: number, vectors: object[] = [], when = moment) =>
    rows(`select store_passage_vectors(${model}, ${when}, ${upTo}, '${JSON.stringify(vectors)}')`);
  const vector = (id: number | undefined) => ({ id, vector: [1, 0] });

  it("returns passages with their item's title, some at a time, and continues there", async () => {
    const first = await next(2);
    expect(first?.passages.map(({ words }) => words.replaceAll(".", ""))).toEqual([
      `How a carry ripples\n${texts[0]}`,
      `How a carry ripples\n${texts[1]}`,
    ]);
    expect(first?.up_to).toBe(first?.passages[1]?.id);
    await keep(
      first?.up_to ?? 0,
      first?.passages.map(({ id }) => vector(id)),
    );
    const second = await next(2);
    expect(second?.passages).toHaveLength(1);
    await keep(second?.up_to ?? 0, [vector(second?.passages[0]?.id)]);
    expect(await next(2)).toBe(null);
    // Edited text has new passages.
    await rows(`update content_items set data_json = ${page("Another")} where id = 1`);
    expect((await next())?.passages).toHaveLength(1);
  });

  it("skips failed ones until the next day, and existing ones", async () => {
    const all = await next();
    await keep(all?.up_to ?? 0, [vector(all?.passages[0]?.id), vector(all?.passages[2]?.id)]);
    expect(await next()).toBe(null);
    expect((await next(96, later))?.passages.map(({ id }) => id)).toEqual([all?.passages[1]?.id]);
    expect((await next(96, moment, "'another'"))?.passages).toHaveLength(3);
  });

  it("gives universities turns, skips some of them, and stops at the last", async () => {
    await rows(`
      insert into universities (id, name, short_code, country_id) overriding system value
      select 901, 'Late', 'LATE', min(id) from countries;
      insert into courses (id, university_id, title, code) overriding system value values (901, 901, 'Late', 'L');
      insert into modules (id, course_id, module_type, title, sequence_index) overriding system value
      values (901, 901, 'unit', 'Late', 1);
      insert into content_items (id, module_id, course_id, university_id, content_type_id, title, data_json)
      overriding system value
      select 901, 901, 901, 901, content_type_id, 'Late', ${page("Another")} from content_items where id = 1`);
    const all = (await next())?.passages ?? [];
    const [first, second, , late] = all.map(({ id }) => id);
    expect(all.map(({ university_id }) => university_id)).toEqual([1, 1, 1, 901]);
    expect(await next(2)).toMatchObject({
      up_to: Number(second) - 1,
      passages: [{ id: first }, { id: late }],
    });
    const without = (passedOver: number[], refused: number[] = []) =>
      next(2, moment, model, { passedOver, refused });
    expect(await without([1])).toMatchObject({
      up_to: Number(first) - 1,
      passages: [{ id: late }],
    });
    expect(await without([901])).toMatchObject({ passages: [{ id: first }, { id: second }] });
    expect(await without([1], [Number(late)])).toMatchObject({ up_to: Number(first) - 1, passages: [] });
    expect(
      await without(
        [],
        all.map(({ id }) => id),
      ),
    ).toEqual({ up_to: late, passages: [] });
  });

  it("keeps the newest vector of a passage, and none of a deleted one", async () => {
    const all = await next();
    const [one, other] = all?.passages ?? [];
    await keep(0, [vector(one?.id), vector(other?.id)]);
    await rows(`delete from passages where id = ${other?.id}`);
    await keep(0, [{ id: one?.id, vector: [] }, vector(other?.id)]);
    expect(await rows("select passage_id::int, vector from passage_vectors")).toEqual([
      { passage_id: one?.id, vector: [] },
    ]);
  });
});
