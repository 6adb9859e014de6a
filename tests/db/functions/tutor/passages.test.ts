import { beforeEach, describe, expect, it } from "vitest";
import { untruncatedMaterial } from "../../../../lib/tutor/chat/material.ts";
import { openSession } from "../session.ts";
import { questionOfAda } from "./conversations.ts";

const { rows, rowsReadOf, value } = openSession();

beforeEach(() => rows(questionOfAda));

const quoted = (data: object) => `'${JSON.stringify(data).replaceAll("'", "''")}'::jsonb`;

const sentence =
  "A standing wave is the sum of two waves that run against each other, and its nodes stand still.";

/** Sets the first item's type and data. Returns its passages. */
async function passagesOf(type: string, data: object) {
  await rows(`update content_items set data_json = ${quoted(data)},
    content_type_id = (select id from content_types where name = '${type}') where id = 1`);
  return rows("select place, body from passages where content_item_id = 1 order by number");
}

describe("bm25", () => {
  // Okapi BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009), and Lucene's ln(1 + (N - n + 0.5) / (n + 0.5)).
  it.each([
    { found: 1, length: 100, mean: 100, holding: 1, total: 1, score: 0.28768 },
    { found: 2, length: 50, mean: 100, holding: 10, total: 1000, score: 7.29181 },
    { found: 3, length: 200, mean: 100, holding: 600, total: 1000, score: 0.66129 },
    { found: 1, length: 100, mean: 100, holding: 1000, total: 1000, score: 0.0005 },
    { found: 0, length: 100, mean: 100, holding: 10, total: 1000, score: 0 },
  ])("is $score for $found in $length words, if $holding of $total have it", async ({ score, ...given }) => {
    const { found, length, mean, holding, total } = given;
    expect(await value(`select bm25(${found}, ${length}, ${mean}, ${holding}, ${total})`)).toBeCloseTo(
      score,
      4,
    );
  });
});

describe("the passages of an item", () => {
  it("are its blocks for a page, a short one joined to the next", async () => {
    const blocks = [
      { type: "heading", text: "Waves" },
      { type: "paragraph", text: sentence },
      { type: "math", latex: "y = 2A" },
      { type: "image", caption: "A string" },
      { type: "paragraph", text: sentence },
      { type: "link_list", items: [{ label: "More" }, { url: "https://x.example" }] },
    ];
    expect(await passagesOf("text", { title: "T", blocks, staff: sentence })).toEqual([
      { place: { block: 1 }, body: `Waves\n\n${sentence}` },
      { place: { block: 3 }, body: `$$y = 2A$$\n\nA string\n\n${sentence}` },
      { place: { block: 6 }, body: "More" },
    ]);
  });

  it("are 45 seconds of speech for a film, with the time", async () => {
    const segments = [
      { start: 0, text: "So" },
      { start: 44.9, text: "they beat." },
      { start: 760, end: 770, text: "And rest." },
      { start: 770, text: " " },
    ];
    expect(await passagesOf("video", { transcript: { segments }, url: "https://x.example" })).toEqual([
      { place: { seconds: 0 }, body: "So they beat." },
      { place: { seconds: 760 }, body: "And rest." },
    ]);
  });

  it("are the task for an assignment, and none for a quiz or a custom type", async () => {
    expect(await passagesOf("assignment", { instructions: "Build one.", description: "A string." })).toEqual([
      { place: {}, body: "A string." },
      { place: {}, body: "Build one." },
    ]);
    const blocks = [{ type: "paragraph", text: sentence }];
    expect(await passagesOf("quiz", { blocks, instructions: sentence, title: sentence })).toEqual([]);
    expect(await passagesOf("engineering_lab", { blocks, env: { KEY: sentence } })).toEqual([]);
  });

  it("are parts of at most some 700 characters of a long text, without a lost word", async () => {
    const text = Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ");
    const found = await passagesOf("text", { blocks: [{ type: "paragraph", text }] });
    expect(found.length).toBeGreaterThan(3);
    expect(found.map(({ body }) => body).join(" ")).toBe(text);
    for (const { body } of found) expect(String(body).length).toBeLessThan(720);
  });

  it("contain nothing that the item's tutor does not read, whatever its data", async () => {
    const odd = [
      { blocks: [{ type: "paragraph", text: 7 }, 3, null, { type: "math", latex: "x" }, { text: "hush" }] },
      { blocks: "hush", title: "T", solution: "hush" },
      { transcript: { segments: [{ start: "hush", text: "said" }, { text: 3 }] }, notes: "hush" },
      { instructions: ["hush"], description: "Do it.", key: "hush", criteria: "Well" },
      { files: [{ path: "hush.py", role: "grader" }], entrypoint: "hush" },
    ];
    const plain = (text: string) => text.replace(/\[[\d:]+\]/g, " ").replace(/\s+/g, " ");
    for (const type of ["text", "video", "assignment", "resource", "engineering_lab", "quiz"])
      for (const data_json of odd) {
        const told = plain(untruncatedMaterial({ content_type: type, title: "", data_json }).blocks.join(""));
        for (const { body } of await passagesOf(type, data_json)) expect(told).toContain(plain(String(body)));
      }
  });

  it("include its files that learners see, written when a file is read and deleted when it is unused", async () => {
    await passagesOf("resource", { resources: [] });
    await rows(`insert into stored_objects (id, university_id, key, sha256, size) overriding system value
      values (901, 1, 'k', repeat('a', 64), 9)`);
    await rows(`insert into files (id, university_id, purpose, name, media_type, size, state, object_id, uploaded_by_user_id)
      overriding system value values (901, 1, 'asset', 'notes.pdf', 'application/pdf', 9, 'ready', 901, 1)`);
    await rows(
      "insert into file_uses (file_id, content_item_id, is_for_staff, place) values (901, 1, false, 1)",
    );
    const read = "select place, body from passages where content_item_id = 1";
    await rows(`insert into file_texts (object_id) values (901) on conflict do nothing`);
    await rows(`update file_texts set content = '${sentence}', read_at = now() where object_id = 901`);
    expect(await rows(read)).toEqual([{ place: { file: "notes.pdf" }, body: sentence }]);
    await rows("update file_uses set is_for_staff = true where file_id = 901");
    expect(await rows(read)).toEqual([]);
    await rows("update file_uses set is_for_staff = false where file_id = 901");
    await rows("delete from file_uses where file_id = 901");
    expect(await rows(read)).toEqual([]);
  });

  it("are searched in the language that its course has now", async () => {
    await passagesOf("text", { blocks: [{ type: "paragraph", text: "Die Häuser schwingen." }] });
    const found = async () =>
      (
        await rows(
          "select body from select_and_store_passages_for_question(1, (select course_id from content_items where id = 1), 3, now(), 'Haus', 5)",
        )
      ).length;
    await rows("update courses set language_code = 'de'");
    expect(await found()).toBe(1);
    await rows("update courses set language_code = 'en'");
    expect(await found()).toBe(0);
  });
});

describe("select_and_store_passages_for_question", () => {
  it("finds any of the words, the rarer ones first, and takes quotes and operators for words", async () => {
    const blocks = ["waves and waves", "waves of a marimba", "drums"].map((words) => ({
      type: "paragraph",
      text: `${words}. ${"It is said that all of this is heard. ".repeat(3)}`,
    }));
    await passagesOf("text", { blocks });
    const places = async (words: string) =>
      (
        await rows(`select place -> 'block' as block from select_and_store_passages_for_question(
          1, (select course_id from content_items where id = 1), 3, now(), '${words.replaceAll("'", "''")}', 5)`)
      ).map(({ block }) => block);
    expect(await places("waves marimba")).toEqual([2, 1]);
    expect(await places("the 'drums' & !(waves) | \\ :*")).toEqual([3, 1, 2]);
    expect(await places("of the and")).toEqual([]);
    expect(await places("")).toEqual([]);
  });

  it("reads each of 1 200 passages of a course once, and then its results", async () => {
    await rows("update content_items set is_active = false where id <> 1");
    const text = `'Wave ' || n || ' runs along the string of a violin, ' || repeat('as if word' || n % 40 || ' was heard. ', 20)`;
    await rows(`insert into passages (content_item_id, number, place, body, search, length)
      select 1, 1000 + n, '{}', ${text}, to_tsvector('english', ${text}), 60 from generate_series(1, 1200) as n`);
    const before = await rowsReadOf("passages");
    const found = await rows(`select * from select_and_store_passages_for_question(
      1, (select course_id from content_items where id = 1), 3, now(), 'Why does the wave run along word7 of a violin?', 5)`);
    expect(found).toHaveLength(5);
    expect((await rowsReadOf("passages")) - before).toBeLessThan(1400);
  });
});
