import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { leaseNextUncheckedFileQuery } from "../../../../lib/files/check-files.ts";
import { lockUploadAndInsertObjectCtes } from "../../../../lib/files/complete.ts";
import { leaseNextUnreadDocumentQuery } from "../../../../lib/files/extract-document-texts.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const noon = "2026-03-01 12:00Z";
const tomorrow = "2026-03-02 13:00Z";
const limits = `'{"university_bytes": 1000, "day_files": 3, "day_bytes": 800}'`;
const hash = (letter: string) => letter.repeat(64);

/** Ada promises an asset of the university; answers why not, or the file. */
async function begin(key: string, size = 100): Promise<unknown> {
  const promised = JSON.stringify({
    ...{ purpose: "asset", name: "a.pdf", media_type: "application/pdf", size, university_id: 1 },
    upload_key: `uploads/${key}`,
  });
  const [begun] = await rows(
    `select refusal, (file).id from begin_upload_within_limits('${promised}', 1, ${limits}, '${noon}')`,
  );
  return begun?.["refusal"] ?? Number(begun?.["id"]);
}

const take = async (file: unknown, key: string, person = 1) =>
  value(sql`with ${lockUploadAndInsertObjectCtes({ id: Number(file), person, key: `objects/${key}`, moment: noon })}
    select (select id from object) from taken`);
const end = (file: unknown, object: unknown, sha256: string | null, why: string | null = null) =>
  value(
    `select state from complete_or_refuse_upload(${file}, ${object}, 'application/pdf', ${sha256 && `'${sha256}'`}, ${why && `'${why}'`}, '${noon}')`,
  );
const usage = async () => Number((await value("select bytes from file_usage where university_id = 1")) ?? 0);

/** A user's ready file, for a purpose and a scope. */
async function ready(purpose: string, of: Record<string, number> = {}, person = 1): Promise<number> {
  const [object] = await column(
    `insert into stored_objects (key, size, sha256) values (gen_random_uuid()::text, 100, md5(random()::text)) returning id`,
  );
  const names = Object.keys(of).map((name) => `, ${name}`);
  const [id] = await column(`
    insert into files (object_id, purpose, state, name, media_type, size, sha256, uploaded_by_user_id${names.join("")})
    values (${object}, '${purpose}', 'ready', 'notes.pdf', 'application/pdf', 100, md5('x'), ${person}
      ${Object.values(of).map((one) => `, ${one}`)}) returning id`);
  return Number(id);
}

/** The database's error for a file that may not be put there. */
const noSuchFile = (file: number) => ({
  ...{ code: "23514", constraint: "file_exists", message: "no such file", detail: String(file) },
});

const looseOf = (file: number) => value(`select loose_since is not null from files where id = ${file}`);

describe("an upload", () => {
  it("begin_upload_within_limits enforces the limits of a university and of a person's day, which update_file_usage_and_object_use counts", async () => {
    await begin("a", 700);
    expect(await usage()).toBe(700);
    expect(await begin("b", 400)).toBe("university");
    expect(await begin("c", 200)).toBe("bytes");
    await begin("d", 50);
    await begin("e", 50);
    expect(await begin("f", 1)).toBe("files");
    expect(await usage()).toBe(800);
  });

  it("takenUpload names an unused object, and complete_or_refuse_upload ends it once, by update_file_usage_of_object and update_file_usage_and_object_use", async () => {
    const file = await begin("a");
    expect(await take(file, "x", 2)).toBeUndefined();
    const object = await take(file, "x");
    expect(await end(file, object, hash("a"))).toBe("ready");
    expect(await take(file, "y")).toBeNull();
    expect(await end(file, object, null, "late")).toBe("ready");
    // Used bytes count once, and the upload is deleted.
    expect(await usage()).toBe(100);
    expect(await value(`select unused_since from stored_objects where id = ${object}`)).toBeNull();
    expect(await value("select going_at is not null from stored_objects where key = 'uploads/a'")).toBe(true);
  });

  it("find_same_object_or_store_hash shares the bytes of a university's equal files, and schedule_unused_object_deletion deletes the copy", async () => {
    const first = await begin("a");
    const kept = await take(first, "x");
    await end(first, kept, hash("a"));
    const second = await begin("b");
    const own = await take(second, "y");
    await end(second, own, hash("a"));
    expect(await column("select distinct object_id::int from files")).toEqual([Number(kept)]);
    expect(await value(`select going_at is not null from stored_objects where id = ${own}`)).toBe(true);
    expect(
      await value(`select find_same_object_or_store_hash(${kept}, '${hash("a")}', '${noon}')::int`),
    ).toBe(Number(kept));
    await rows(`select schedule_unused_object_deletion(${kept}, '${noon}')`);
    expect(await value(`select going_at from stored_objects where id = ${kept}`)).toBeNull();
    expect(await usage()).toBe(100);
  });

  it("leaseNextUncheckedFileQuery gives a file to one worker until its lease ends, and accept_or_refuse_checked_file ends it", async () => {
    const file = await begin("a");
    const object = await take(file, "x");
    expect(await end(file, object, null)).toBe("checking");
    const claim = async (moment: string, until: string) =>
      (await column(textOf(leaseNextUncheckedFileQuery(moment, until)))).map(Number);
    expect(await claim(noon, tomorrow)).toEqual([file]);
    expect(await claim("2026-03-01 13:00Z", tomorrow)).toEqual([]);
    expect(await claim(tomorrow, "2026-03-02 14:00Z")).toEqual([file]);
    const ended = (why: string | null) =>
      value(
        `select state from accept_or_refuse_checked_file(${file}, '${hash("b")}', ${why && `'${why}'`}, '${noon}')`,
      );
    expect(await ended("infected")).toBe("refused");
    expect(await ended(null)).toBe("refused");
    expect(await value(`select going_at is not null from stored_objects where id = ${object}`)).toBe(true);
  });

  it("accept_or_refuse_checked_file makes a clean file readable, with existing equal bytes of its university", async () => {
    const [first, second] = [await begin("a"), await begin("b")];
    const kept = await take(first, "x");
    await end(first, kept, hash("c"));
    const own = await take(second, "y");
    await end(second, own, null);
    const ended = await rows(
      `select state, refusal, sha256, object_id::int from accept_or_refuse_checked_file(${second}, '${hash("c")}', null, '${noon}')`,
    );
    expect(ended).toEqual([{ state: "ready", refusal: null, sha256: hash("c"), object_id: Number(kept) }]);
    expect(await value(`select going_at is not null from stored_objects where id = ${own}`)).toBe(true);
    // A deleted file cannot be ended.
    expect(
      await value(`select (accept_or_refuse_checked_file(999999, '${hash("c")}', null, '${noon}')).id`),
    ).toBeNull();
  });

  it("schedule_upload_deletion and add_to_university_file_usage are done once, and never below nothing", async () => {
    await rows(
      "select schedule_upload_deletion('uploads/z', 5, null), schedule_upload_deletion('uploads/z', 5, null)",
    );
    expect(await value("select count(*)::int from stored_objects where key = 'uploads/z'")).toBe(1);
    await rows("select add_to_university_file_usage(1, 5)");
    await rows("select add_to_university_file_usage(1, -9)");
    expect(await usage()).toBe(0);
  });
});

describe("what a file hangs on", () => {
  it("lock_files_and_find_unusable is what is another's, for another purpose, or elsewhere already, and flag_unused_files_and_rewrite_passages says since when it is loose", async () => {
    const [mine, theirs, elsewhere] = [
      await ready("avatar"),
      await ready("avatar", {}, 2),
      await ready("post"),
    ];
    const misplaced = (...ids: number[]) =>
      value(`select lock_files_and_find_unusable('{${ids}}', 1, 'avatar', '{}')::int`);
    expect([await misplaced(mine), await misplaced(mine, theirs)]).toEqual([null, theirs]);
    expect(await misplaced(elsewhere)).toBe(elsewhere);
    expect(await looseOf(mine)).toBe(true);
    const put = (file: number | null) =>
      rows(`select * from replace_avatar_or_logo(null, 1, ${file}, 'token', '${noon}')`);
    expect(await put(mine)).toEqual([{ misplaced: null, shown: "token" }]);
    expect([await misplaced(mine), await looseOf(mine)]).toEqual([mine, false]);
    expect(await put(null)).toEqual([{ misplaced: null, shown: null }]);
    expect(await value(`select count(*)::int from files where id = ${mine}`)).toBe(0);
  });

  it("replace_avatar_or_logo shows the logo that was sent for that university, and ends the one before with its address", async () => {
    const [first, second, elsewhere] = [
      await ready("logo", { university_id: 1 }),
      await ready("logo", { university_id: 1 }),
      await ready("logo"),
    ];
    const put = async (file: number | null, token: string) =>
      (
        await rows(
          `select misplaced::int, shown from replace_avatar_or_logo(1, 1, ${file}, '${token}', '${noon}')`,
        )
      )[0];
    expect(await put(elsewhere, "none")).toEqual({ misplaced: elsewhere, shown: null });
    expect(await put(first, "first")).toEqual({ misplaced: null, shown: "first" });
    expect(await put(first, "again")).toEqual({ misplaced: null, shown: "first" });
    expect(await put(second, "second")).toEqual({ misplaced: null, shown: "second" });
    expect(await value(`select count(*)::int from files where id = ${first}`)).toBe(0);
    expect(await put(null, "gone")).toEqual({ misplaced: null, shown: null });
    expect(await value("select logo_token from universities where id = 1")).toBeNull();
  });

  it("replace_item_files requests texts by queue_file_text_extraction for visible files, and a copy uses the same files", async () => {
    const [shown, hidden, picture] = [
      await ready("asset", { university_id: 1 }),
      await ready("asset", { university_id: 1 }),
      await ready("asset", { university_id: 1 }),
    ];
    await rows(`update files set media_type = 'image/png' where id = ${picture}`);
    const given = JSON.stringify([
      { file_id: shown, is_for_staff: false },
      { file_id: hidden, is_for_staff: true },
      { file_id: picture, is_for_staff: false },
    ]);
    await rows(`select replace_item_files(one, '${given}', '{}') from content_items as one where id = 1`);
    await rows(`select queue_file_text_extraction(one) from files as one where id = ${hidden}`);
    expect(await rows(textOf(leaseNextUnreadDocumentQuery(noon, tomorrow)))).toMatchObject([
      {
        object_id: await value(`select object_id from files where id = ${shown}`),
        media_type: "application/pdf",
      },
    ]);
    expect(
      await rows(textOf(leaseNextUnreadDocumentQuery(noon, tomorrow))),
      "of what is no document",
    ).toEqual([]);
    await rows(`update file_texts set content = 'Read', characters = 4, read_at = '${noon}'`);
    const sha256 = await value(
      `select object.sha256 from files join stored_objects as object on object.id = object_id where files.id = ${shown}`,
    );
    const toTell = { file_id: shown, name: "notes.pdf", sha256, characters: 4 };
    await rows("update stored_objects set university_id = 1");
    const withTexts = (texts: unknown) =>
      value(
        `select tutor_context_with_file_texts('${JSON.stringify({ university_id: 1, ...Object(texts) })}', 3)`,
      );
    expect(await withTexts({ file_texts: [toTell, { ...toTell, sha256: "gone" }] })).toEqual({
      university_id: 1,
      file_texts: [
        { ...toTell, content: "Rea" },
        { ...toTell, sha256: "gone", content: null },
      ],
    });
    expect(await withTexts({ file_texts: null })).toEqual({ university_id: 1, file_texts: null });
    expect(await withTexts({})).toEqual({ university_id: 1 });
    const copy = await value("select (course).id from copy_course(1, '{}')");
    expect(
      await column(`select file_id::int from file_uses join content_items as item on item.id = content_item_id
        where item.course_id = ${copy} order by 1`),
    ).toEqual([shown, hidden, picture]);
  });

  it("set_course_picture replaces a picture, for copies too, and rejects other and unusable files", async () => {
    const picture = async () => {
      const id = await ready("asset", { university_id: 1 });
      await rows(`update files set media_type = 'image/png' where id = ${id}`);
      return id;
    };
    const [first, second, text] = [await picture(), await picture(), await ready("asset")];
    const put = (file: number | null, usable = true) =>
      value(`select set_course_picture(1, ${file}, ${usable})::int`);
    const there = (course: unknown) =>
      column(`select file_id::int from file_uses where course_id = ${course}`);
    expect(await put(first)).toBe(first);
    // Existing files stay, regardless of the writer.
    expect(await put(first, false)).toBe(first);
    expect(await put(second)).toBe(second);
    expect([await looseOf(first), await looseOf(second)]).toEqual([true, false]);
    for (const [file, isUsable] of [
      [first, false],
      [text, true],
      [999_999, true],
    ] as const) {
      await rows("savepoint before");
      await expect(put(file, isUsable)).rejects.toMatchObject(noSuchFile(file));
      await rows("rollback to before");
    }
    const copy = await value("select (course).id from copy_course(1, '{}')");
    expect([await there(1), await there(copy)]).toEqual([[second], [second]]);
    expect(await put(null)).toBeNull();
    expect([await there(1), await looseOf(second)]).toEqual([[], false]);
  });

  it("replace_item_files replaces the files, in their order, and names a deleted one", async () => {
    const [first, second, third] = [await ready("asset"), await ready("asset"), await ready("asset")];
    const put = (...ids: number[]) => {
      const given = JSON.stringify(ids.map((file_id) => ({ file_id, is_for_staff: false })));
      return rows(`select replace_item_files(one, '${given}', '{}') from content_items as one where id = 1`);
    };
    const there = () =>
      column("select file_id::int from file_uses where content_item_id = 1 order by place, id");
    await put(first, second);
    await put(third, first);
    expect(await there()).toEqual([third, first]);
    expect([await looseOf(second), await looseOf(first)]).toEqual([true, false]);
    await expect(put(third, 999_999)).rejects.toMatchObject(noSuchFile(999_999));
  });

  it("replace_item_files rejects refused files, and stores nothing without files", async () => {
    const [second, first] = [await ready("asset"), await ready("asset")];
    const put = (ids: number[]) => {
      const given = JSON.stringify(ids.map((file_id) => ({ file_id, is_for_staff: false })));
      return rows(`select replace_item_files(one, '${given}', '{}') from content_items as one where id = 1`);
    };
    await put([first]);
    await put([]);
    expect(await looseOf(first)).toBe(true);
    await rows(
      `update files set state = 'refused', refusal = 'Found', object_id = null where id = ${second}`,
    );
    await expect(put([second])).rejects.toMatchObject(noSuchFile(second));
  });

  it("sync_asset_file_use links an asset's file, and rejects other people's files", async () => {
    const file = await ready("asset", { university_id: 1 });
    await rows(
      `insert into assets (university_id, url, asset_type, file_id, file_name) values (1, 'u', 'pdf', ${file}, 'a.pdf')`,
    );
    expect(await value(`select count(*)::int from file_uses where file_id = ${file}`)).toBe(1);
    const post = await ready("post", { university_id: 1 });
    await expect(
      rows(
        `insert into assets (university_id, url, asset_type, file_id, file_name) values (1, 'u', 'pdf', ${post}, 'a.pdf')`,
      ),
    ).rejects.toMatchObject(noSuchFile(post));
  });

  it("replace_attached_files puts files of a post, which attached_files_json answers; none that is not for its offering", async () => {
    await rows(
      "insert into discussion_threads (id, course_offering_id, title) overriding system value values (1, 1, 'T')",
    );
    await rows(
      "insert into discussion_posts (id, thread_id, user_id, body) overriding system value values (101, 1, 1, 'First')",
    );
    const [mine, elsewhere] = [
      await ready("post", { course_offering_id: 1 }),
      await ready("post", { course_offering_id: 2 }),
    ];
    const put = (file: number) => value(`select replace_attached_files('post', 101, 1, '{${file}}')::int`);
    expect([await put(elsewhere), await put(mine)]).toEqual([elsewhere, null]);
    expect(await value("select attached_files_json('post', 101)")).toMatchObject([
      { id: mine, name: "notes.pdf", state: "READY" },
    ]);
    expect(await value(`select summary from file_summaries where id = ${mine}`)).toMatchObject({
      size: 100,
      is_erased: false,
    });
    const theirs = await ready("post", { course_offering_id: 1 }, 2);
    expect(await put(theirs)).toBe(theirs);
    await expect(rows(`select raise_no_such_file(${theirs})`)).rejects.toMatchObject(noSuchFile(theirs));
  });

  it("replace_attached_files replaces the files, in their order, and changes nothing if one is not allowed", async () => {
    await rows(
      "insert into discussion_threads (id, course_offering_id, title) overriding system value values (2, 1, 'T')",
    );
    await rows(
      "insert into discussion_posts (id, thread_id, user_id, body) overriding system value values (102, 2, 1, 'First')",
    );
    const of = { course_offering_id: 1 };
    const [one, two, three] = [await ready("post", of), await ready("post", of), await ready("post", of)];
    const elsewhere = await ready("post", { course_offering_id: 2 });
    const put = (...ids: number[]) => value(`select replace_attached_files('post', 102, 1, '{${ids}}')::int`);
    const there = async () =>
      ((await value("select attached_files_json('post', 102)")) as { id: number }[]).map(({ id }) => id);
    expect([await put(one, two), await there()]).toEqual([null, [one, two]]);
    expect([await put(three, two), await there()]).toEqual([null, [three, two]]);
    expect([await looseOf(one), await looseOf(two)]).toEqual([true, false]);
    // The first in the given order.
    expect([await put(elsewhere, 999_999), await put(999_999, elsewhere)]).toEqual([elsewhere, 999_999]);
    expect(await there()).toEqual([three, two]);
    expect([await put(), await there(), await looseOf(three)]).toEqual([null, [], true]);
    expect([await put(two, one), await there()]).toEqual([null, [two, one]]);
  });

  it("replace_attached_files replaces the feedback files if given, and leaves them unchanged otherwise", async () => {
    await rows(`insert into lab_submissions (id, user_id, course_offering_id, content_item_id, status) overriding system value
      values (501, 1, 1, 1, 'graded')`);
    const of = { submission_id: 501 };
    const [one, two] = [await ready("feedback", of, 3), await ready("feedback", of, 3)];
    const put = (ids: number[] | null) =>
      value(`select replace_attached_files('feedback', 501, 3, ${ids ? `'{${ids}}'` : "null"})::int`);
    const there = async () =>
      ((await value("select attached_files_json('feedback', 501)")) as { id: number }[]).map(({ id }) => id);
    expect([await put([one]), await there()]).toEqual([null, [one]]);
    expect([await put(null), await there()]).toEqual([null, [one]]);
    expect([await put([two]), await there()]).toEqual([null, [two]]);
    const other = await ready("feedback", of, 2);
    expect([await put([other]), await there()]).toEqual([other, [two]]);
  });

  it("attached_files_json answers work and its feedback, and erase_files_of_person leaves size and hash of graded work alone", async () => {
    await rows(`insert into lab_submissions (id, user_id, course_offering_id, content_item_id, status) overriding system value
      values (500, 1, 1, 1, 'graded')`);
    const sent = await ready("submission");
    await rows(`insert into file_uses (file_id, submission_id) values (${sent}, 500)`);
    const said = await ready("feedback", { submission_id: 500 }, 3);
    expect(await value(`select replace_attached_files('feedback', 500, 3, '{${said}}')`)).toBeNull();
    expect(await value("select attached_files_json('feedback', 500)")).toMatchObject([{ id: said }]);
    expect(await value("select attached_files_json('submission', 500)")).toMatchObject([
      { id: sent, name: "notes.pdf" },
    ]);
    await rows(`select erase_files_of_person(1, '${noon}')`);
    expect(await value("select attached_files_json('submission', 500)")).toMatchObject([
      { id: sent, name: null, size: 100, sha256: expect.stringMatching(/^[0-9a-f]{32}$/), is_erased: true },
    ]);
  });
});

describe("deletions", () => {
  it("delete_file_if_unused deletes unused files, delete_unused_or_incomplete_files those unused for a day, and mark_unused_objects_for_deletion bytes after a week", async () => {
    const [loose, used] = [await ready("post", {}), await ready("avatar")];
    await rows(`select replace_avatar_or_logo(null, 1, ${used}, 'token', '${noon}')`);
    const remove = (file: number, person = 1) =>
      column(`select refusal from delete_file_if_unused(${file}, ${person})`);
    expect([await remove(used), await remove(loose, 2), await remove(loose)]).toEqual([
      ["in use"],
      [],
      [null],
    ]);
    const old = await ready("post", {});
    await rows(`update files set loose_since = '${noon}' where id = ${old}`);
    expect(await value(`select delete_unused_or_incomplete_files('${tomorrow}', 10)`)).toBe(1);
    expect(await column("select id::int from files")).toEqual([used]);
    await rows(`update stored_objects set unused_since = '${noon}' where unused_since is not null`);
    expect(await value("select mark_unused_objects_for_deletion('2026-03-05 12:00Z', 10)")).toBe(0);
    expect(await value("select mark_unused_objects_for_deletion('2026-03-09 12:00Z', 10)")).toBe(2);
    expect(await value("select count(*)::int from stored_objects where going_at is not null")).toBe(2);
  });
});
