import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

const at = "2026-03-10T12:00:00Z";

/** Adds a post of Ada's; answers why not, or its depth. */
const add = async (parent: number | null, thread = 1) => {
  const [added] = await rows(
    `select refusal, (post).depth from add_discussion_post_and_notify(${thread}, ${parent}, 1, 'Said', '${at}', '{}')`,
  );
  return added && (added["refusal"] ?? added["depth"]);
};

beforeEach(async () => {
  await rows(
    "insert into discussion_threads (id, course_offering_id, title) overriding system value values (1, 1, 'T')",
  );
  await rows("insert into discussion_threads (id, course_offering_id) overriding system value values (2, 1)");
  await rows(`insert into discussion_posts (id, thread_id, user_id, body) overriding system value
              values (101, 1, 1, 'First'), (102, 2, 2, 'Elsewhere')`);
});

describe("add_discussion_post_and_notify", () => {
  it("nests eight deep, and no deeper", async () => {
    let parent = 101;
    for (let depth = 1; depth <= 8; depth++) {
      expect(await add(parent)).toBe(depth);
      parent = Number(await value(`select id from discussion_posts where depth = ${depth}`));
    }
    expect(await add(parent)).toBe("too_deep");
    expect(await value("select post_count from discussion_threads where id = 1")).toBe(8);
  });

  it("rejects a locked thread, and a parent post that is elsewhere, deleted or hidden", async () => {
    expect(await add(102)).toBe("no_parent");
    await rows("update discussion_posts set is_hidden = true where id = 101");
    expect(await add(101)).toBe("parent_gone");
    await rows("update discussion_threads set is_locked = true where id = 1");
    expect(await add(null)).toBe("locked");
    expect(await add(null, 99)).toBeUndefined();
  });
});

it("edit_discussion_post gives other words, unless the thread is locked or the post deleted", async () => {
  const edit = async () =>
    rows(`select refusal, (post).body from edit_discussion_post(101, 'Other', '${at}', null)`);
  expect(await edit()).toEqual([{ refusal: null, body: "Other" }]);
  await rows("update discussion_threads set is_locked = true");
  expect(await edit()).toMatchObject([{ refusal: "locked" }]);
  await rows("select delete_discussion_post_keeping_row(101)");
  expect(await edit()).toEqual([{ refusal: "deleted", body: "" }]);
  expect(await rows(`select from edit_discussion_post(999, 'Other', '${at}', null)`)).toEqual([]);
});

it("update_discussion_thread marks an existing post of the thread; delete_discussion_post_keeping_row removes the mark", async () => {
  const mark = async (post: number) =>
    value(`select refusal from update_discussion_thread(1, '{"answer_post_id": ${post}}')`);
  expect([await mark(102), await mark(999)]).toEqual(["no_answer", "no_answer"]);
  expect(await mark(101)).toBeNull();
  expect(await value(`select (thread).title from update_discussion_thread(1, '{"is_locked": true}')`)).toBe(
    "T",
  );
  await rows("select delete_discussion_post_keeping_row(101)");
  expect(await rows("select title, is_locked, answer_post_id from discussion_threads where id = 1")).toEqual([
    { title: "T", is_locked: true, answer_post_id: null },
  ]);
  expect(await mark(101)).toBe("no_answer");
  expect(await rows(`select from update_discussion_thread(99, '{}')`)).toEqual([]);
});

it("hide_or_show_post_resolving_reports removes the mark of a hidden post, which cannot be marked until it is shown", async () => {
  const mark = () => value(`select refusal from update_discussion_thread(1, '{"answer_post_id": 101}')`);
  const marked = () => value("select answer_post_id::int from discussion_threads where id = 1");
  const hide = (hides: boolean, post = 101) =>
    rows(`select from hide_or_show_post_resolving_reports(${post}, ${hides}, '${at}')`);
  expect(await mark()).toBeNull();
  await hide(false);
  await hide(true, 102);
  expect(await marked()).toBe(101);
  await hide(true);
  expect([await marked(), await mark()]).toEqual([null, "no_answer"]);
  await hide(false);
  expect([await marked(), await mark(), await marked()]).toEqual([null, null, 101]);
});

it("lock_thread_of_post finds the thread of a post", async () => {
  expect(await value("select (lock_thread_of_post(102)).id")).toBe(2);
});

it("hide_or_show_post_resolving_reports settles the reports that are open", async () => {
  await rows(
    `insert into discussion_reports (post_id, course_offering_id, user_id, reason) values (101, 1, 2, 'Rude')`,
  );
  await rows(`select from hide_or_show_post_resolving_reports(101, true, '${at}')`);
  await rows(
    `insert into discussion_reports (post_id, course_offering_id, user_id, reason) values (101, 1, 3, 'Rude')`,
  );
  expect(await value(`select is_hidden from hide_or_show_post_resolving_reports(101, false, '${at}')`)).toBe(
    false,
  );
  expect(await column("select outcome from discussion_reports order by user_id")).toEqual(["hidden", "kept"]);
});

it("set_note_or_post_search_vector: a post is searched in the language of its course, and not once its text is deleted", async () => {
  const found = () =>
    value("select search @@ to_tsquery('spanish', 'canción') from discussion_posts where id = 101");
  await rows("update courses set language_code = 'es'");
  await rows("update discussion_posts set body = 'Las canciones' where id = 101");
  expect(await found()).toBe(true);
  await rows("select delete_discussion_post_keeping_row(101)");
  expect(await found()).toBe(false);
});

it("erase_personal_data_keeping_statistics takes words and marks along, and leaves the places", async () => {
  await rows("update discussion_threads set created_by_user_id = 1, answer_post_id = 101 where id = 1");
  await rows("select erase_personal_data_keeping_statistics(1)");
  expect(await rows("select user_id, body, is_deleted from discussion_posts where id = 101")).toEqual([
    { user_id: null, body: "", is_deleted: true },
  ]);
  expect(
    await rows("select title, created_by_user_id, answer_post_id from discussion_threads where id = 1"),
  ).toEqual([{ title: null, created_by_user_id: null, answer_post_id: null }]);
});

describe("reviews of a course", () => {
  it("add_to_course_rating counts each, follows its changes, and subtracts deleted ones", async () => {
    const rating = () => rows("select reviews, rating_sum from course_ratings where course_id = 1");
    await rows(
      "insert into course_reviews (user_id, course_offering_id, rating) values (1, 1, 2), (2, 1, 5)",
    );
    expect(await rating()).toEqual([{ reviews: 2, rating_sum: 7 }]);
    await rows("update course_reviews set rating = 4 where user_id = 1");
    expect(await rating()).toEqual([{ reviews: 2, rating_sum: 9 }]);
    await rows("delete from course_reviews where user_id = 2");
    expect(await rating()).toEqual([{ reviews: 1, rating_sum: 4 }]);
  });
});

describe("notes", () => {
  it("text_search_configuration_of_language knows a language by its code, with or without a region", async () => {
    const known = await column(
      "select text_search_configuration_of_language(code)::text from unnest(array['es', 'pt-BR', 'EN', 'ko']) as code",
    );
    expect(known).toEqual(["spanish", "portuguese", "english", "simple"]);
  });

  it("set_note_or_post_search_vector indexes the words in the note's language", async () => {
    await rows(
      "insert into notes (user_id, content_item_id, body, language_code) values (1, 1, 'Las sumas', 'es')",
    );
    expect(await value("select search @@ to_tsquery('spanish', 'suma') from notes")).toBe(true);
    await rows("update notes set language_code = 'en'");
    expect(await value("select search @@ to_tsquery('english', 'suma') from notes")).toBe(true);
    await rows("update notes set body = 'Otra'");
    expect(await value("select search @@ to_tsquery('english', 'suma') from notes")).toBe(false);
  });
});
