import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { afterAll, beforeAll, expect, it } from "vitest";
import { meaningIn } from "../../../support/embeddings-stand-in.ts";

/*
 * The tests' PostgreSQL lacks pgvector, so PGlite runs the same retrieval functions on tables with the same
 * columns.
 */
let database: PGlite;

const functionsOf = async (file: string, ...names: string[]) => {
  const text = await readFile(new URL(`../../../../schema/functions/${file}`, import.meta.url), "utf8");
  return names.map((name) => {
    const start = text.indexOf(`create or replace function ${name}(`);
    const from = text.indexOf("$$", start) + 2;
    return `${text.slice(start, text.indexOf("$$;", from))}$$;`;
  });
};

beforeAll(async () => {
  database = await PGlite.create({ extensions: { vector } });
  await database.exec(`
    create table courses (id integer primary key, language_code text);
    create table content_items (id integer primary key, course_id integer, is_active boolean);
    create table passages (id bigint primary key, content_item_id integer, body text, search tsvector, length integer);
    create table passage_vectors (passage_id bigint primary key, model text, vector real[]);
    create function text_search_configuration_of_language(code text) returns regconfig language sql as 'select ''english''::regconfig';`);
  const functions = [
    ...(await functionsOf("tutor/passages.sql", "bm25")),
    ...(await functionsOf("tutor/passage-vectors.sql", "rank_passages_by_vector")),
    ...(await functionsOf("tutor/passages.sql", "find_passages_ignoring_access")),
  ];
  for (const text of functions) await database.exec(text);
  const text = `'Passage ' || n || case when n % 100 = 0 then ' of a pendulum ' else ' of the string of a violin ' end
    || repeat('as if word' || n % 40 || ' was heard. ', 20)`;
  await database.exec(`
    insert into courses values (1, 'en');
    insert into content_items select n, 1, true from generate_series(1, 60) as n;
    insert into passages select n, 1 + n % 60, ${text}, to_tsvector('english', ${text}), 60 from generate_series(1, 1200) as n`);
  const { rows } = await database.query<{ id: number; body: string }>(
    "select id, body from passages order by id",
  );
  for (const { id, body } of rows)
    await database.query("insert into passage_vectors values ($1, 'model', $2)", [
      id,
      `{${meaningIn(body)}}`,
    ]);
});

afterAll(() => database.close());

const find = async (words: string, model = "model") =>
  (
    await database.query<{ id: number; score: number }>(
      "select id, score from find_passages_ignoring_access(1, $1, $2, $3::real[], 5)",
      [words, model, `{${meaningIn(words)}}`],
    )
  ).rows;

it("without the extension only words are searched, and with it embeddings as well", async () => {
  expect(await find("Does it swing?")).toEqual([]);
  const words = await find("A pendulum, word7?");
  await database.exec("create extension vector");
  expect((await find("Does it swing?")).map(({ id }) => id)).toEqual([100, 200, 300, 400, 500]);
  expect(await find("A pendulum, word7?", "another model")).toEqual(words);
});

it("passages found by words and by embedding rank before those found by one of them", async () => {
  // Words find word20: 20, 60 and so on. Embeddings find the pendulum: 100, 200 and so on.
  const found = await find("A swing of word20");
  expect(found.slice(0, 4).map(({ id }) => id)).toEqual([100, 300, 500, 700]);
  expect(found[0]?.score).toBeCloseTo(1 / 63 + 1 / 61, 10);
});
