import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const blocks = `'[{"type": "heading", "text": "Carrying"}, {"type": "math", "latex": "9 + 1"},
  {"type": "link_list", "items": [{"label": "More"}, {"url": "https://x.example"}]}, 7, null]'::jsonb`;

describe("the sources of passages", () => {
  it("split_text_into_passages divides between words, and has none of a text that says nothing", async () => {
    expect(await rows("select * from split_text_into_passages('one two  three', 7)")).toEqual([
      { number: 0, body: "one two" },
      { number: 1, body: "three" },
    ]);
    expect(await rows("select * from split_text_into_passages(E' \\n', 7)")).toEqual([]);
    expect(await rows("select * from split_text_into_passages(null, 7)")).toEqual([]);
  });

  it("extract_passages_of_item gives the place of each text of a page or film, and nothing of other data", async () => {
    const passagesOf = (type: string, data: string) =>
      rows(`select told.* from content_items as item
        join content_types as type on type.name = '${type}'
        cross join lateral extract_passages_of_item(jsonb_populate_record(item, jsonb_build_object(
          'content_type_id', type.id, 'data_json', ${data}))) as told where item.id = 1`);
    expect(await passagesOf("text", `jsonb_build_object('blocks', ${blocks})`)).toEqual([
      { place: { block: 1 }, body: "Carrying\n\n$$9 + 1$$\n\nMore" },
    ]);
    const segments = `'[{"start": 50, "text": "And rest."}, {"text": "Go."}]'::jsonb`;
    expect(
      await passagesOf(
        "video",
        `jsonb_build_object('transcript', jsonb_build_object('segments', ${segments}))`,
      ),
    ).toEqual([
      { place: { seconds: 50 }, body: "And rest." },
      { place: { seconds: 0 }, body: "Go." },
    ]);
    for (const nothing of ["{}", "null"]) {
      expect(await passagesOf("text", `'{"blocks": ${nothing}}'::jsonb`)).toEqual([]);
      expect(await passagesOf("video", `'{"transcript": {"segments": ${nothing}}}'::jsonb`)).toEqual([]);
    }
  });
});

describe("passages follow their sources", () => {
  const kept = () => rows("select body from passages where content_item_id = 1 order by number");
  const give = () =>
    rows(`update content_items set data_json = jsonb_build_object('blocks', ${blocks}) where id = 1`);

  it("by rewrite_passages_after_source_change after an item or the language of its course has changed, as rewrite_passages_of_items does", async () => {
    await give();
    const all = await rows(
      "select told.body from content_items as item, extract_passages_of_item(item) as told where item.id = 1",
    );
    expect([all.length, await kept()]).toEqual([1, all]);
    await rows("delete from passages");
    await rows("select rewrite_passages_of_items('{1}'), rewrite_passages_of_items('{}')");
    expect(await kept()).toEqual(all);
    await rows("delete from passages");
    await rows("update courses set language_code = 'de' where id = 1");
    expect(await kept()).toEqual(all);
  });

  it("by rewrite_passages_after_source_change and flag_unused_files_and_rewrite_passages, from when a file is read until the item no longer shows it", async () => {
    await rows(`insert into stored_objects (id, university_id, key, sha256, size) overriding system value
      values (901, 1, 'k', repeat('a', 64), 9)`);
    await rows(`insert into files
      (id, university_id, purpose, name, media_type, size, state, object_id, uploaded_by_user_id)
      overriding system value values (901, 1, 'asset', 'notes.pdf', 'application/pdf', 9, 'ready', 901, 1)`);
    await rows(`update content_items set data_json = '{}',
      content_type_id = (select id from content_types where name = 'resource') where id = 1`);
    await rows(
      "insert into file_uses (file_id, content_item_id, is_for_staff, place) values (901, 1, false, 1)",
    );
    await rows("insert into file_texts (object_id) values (901) on conflict do nothing");
    await rows("update file_texts set content = 'Nine and one', read_at = now() where object_id = 901");
    expect(await kept()).toEqual([{ body: "Nine and one" }]);
    await rows("delete from file_uses where file_id = 901");
    expect(await kept()).toEqual([]);
  });
});

it("select_and_store_passages_for_question stores its result for a question, and offers later results again", async () => {
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    overriding system value values (1, 1, 1, '{}', 'content', 'content')`);
  await rows(`insert into chat_messages (id, session_id, role, content, meta) overriding system value
    values (1, 1, 'user', 'carrying?', '{}')`);
  await rows(
    `update content_items set data_json = jsonb_build_object('blocks', ${blocks}) where id in (1, 2)`,
  );
  const offer = (words: string) =>
    rows(`select number, body from select_and_store_passages_for_question(1, 1, 1, now(), '${words}', 5)`);
  const sources = () => value("select count(*)::int from message_sources where question_id = 1");
  expect((await offer("carrying")).map(({ number }) => number)).toEqual([1, 2]);
  expect(await sources()).toBe(2);
  expect([await offer("nothing of it"), await sources()]).toEqual([[], 0]);
});
