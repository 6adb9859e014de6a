import { beforeAll, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value, refusal } = openSession();

type Copied = {
  /** How the rows of a course are found; `$` is its id. */
  of: string;
  /** The columns that differ in a copy; a test below covers each. */
  own: string[];
  /** The columns that are later in the copy. */
  dates?: string[];
};

const made = ["id", "version", "created_at", "updated_at"];

const ofCourse = "course_id = $";

/** The parts of a copy. Columns that are not named here are equal in the copy. */
const copied: Record<string, Copied> = {
  courses: { of: "id = $", own: [...made, "title", "code", "search_text"] },
  course_subjects: { of: ofCourse, own: ["id", "course_id"] },
  course_prerequisites: { of: ofCourse, own: ["id", "created_at", "course_id"] },
  modules: {
    of: ofCourse,
    own: [...made, "course_id", "parent_module_id", "requires_module_ids"],
    dates: ["available_from", "due_at"],
  },
  content_items: {
    of: ofCourse,
    own: [...made, "course_id", "module_id", "data_json", "origin_item_id"],
    dates: ["available_from", "due_at"],
  },
  answer_pins: {
    of: "content_item_id in (select id from content_items where course_id = $)",
    own: ["id", "content_item_id"],
  },
  tutor_notes: { of: ofCourse, own: [...made, "course_id", "content_item_id"] },
  question_pools: { of: ofCourse, own: [...made, "course_id"] },
  questions: {
    of: "question_pool_id in (select id from question_pools where course_id = $)",
    own: [...made, "question_pool_id", "version"],
  },
};

const copiedRuns: Record<string, Copied> = {
  course_offerings: {
    of: ofCourse,
    own: [...made, "course_id"],
    dates: ["starts_at", "ends_at", "enrollment_start", "enrollment_end"],
  },
  course_offering_instructors: {
    of: "course_offering_id in (select id from course_offerings where course_id = $)",
    own: ["id", "created_at", "course_offering_id"],
  },
};

/** Tables that refer to a part of a course but are not copied: people's activity and its counts. */
const left = [
  // A copy's own dates are in dates.test.ts.
  "offering_dates",
  // Records of files that became parts of this course.
  ...["cartridge_imports", "cartridge_parts"],
  // Rows of people: another run has other people.
  ...["offering_groups", "offering_group_dates"],
  // Administrators decide which courses may use a tool.
  "lti_tool_deployments",
  // The bindings of an LMS's course and their results.
  ...["lti_contexts", "lti_links", "lti_score_marks", "offering_staff"],
  // Copies use the same files: tests/db/functions/files/files.test.ts.
  ...["files", "file_uses"],
  ...["enrollments", "course_exemptions", "user_module_progress", "user_content_progress", "activity_events"],
  ...[
    "quiz_attempts",
    "scorm_attempts",
    "quiz_attempt_questions",
    "quiz_overrides",
    "lab_submissions",
    "course_grades",
    "anonymous_codes",
  ],
  ...[
    "certificates",
    "chat_sessions",
    "cache_nodes",
    "tree_changes",
    "trials",
    "trial_cases",
    "generations",
    "failed_answers",
    "warmings",
    "discussion_threads",
    "tutor_questions",
  ],
  ...["discussion_reports", "course_reviews", "course_ratings", "notes", "flashcards"],
  ...[
    "announcements",
    "notifications",
    "grade_releases",
    "thrown_out_questions",
    "item_grades",
    "grade_changes",
    "invitations",
  ],
  ...["due_reminders", "retention_holds", "sourced_offerings", "auto_graders", "auto_grader_readers"],
  // Settings of a run, which have no id: see below.
  ...["certificate_settings", "grading_schemes"],
  // Created with each course, question version and item; citations of messages, and measures.
  ...["course_popularity", "question_versions", "passages", "message_sources", "passage_measures"],
];

const days = 182;

/** A course with a thousand items in a tree of 112 modules, with a value in each column. */
beforeAll(async () => {
  await rows(`
    update universities set time_zone = 'Europe/Madrid';
    insert into departments (university_id, name, code) values (1, 'Department', 'D');
    insert into terms (university_id, name, starts_on, ends_on) values (1, 'Autumn', '2026-09-01', '2026-12-18');
    insert into module_templates (university_id, template_type, title) values (1, 'unit', 'Week');
    insert into courses (university_id, department_id, primary_subject_id, title, code, description, level, language_code,
      credit_hours, is_published, access, cache_enabled, llm_model, tutor_line)
    values (1, 1, 1, 'Signals', 'EE-101', 'What beats', 'graduate', 'es', 6, true, 'enrolled', false, 'model', 'Be brief.');
    insert into course_subjects (course_id, subject_id, is_primary) values (4, 1, true), (4, 2, false);
    insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
      values (4, 1, 'strict'), (4, 2, 'recommended');
    insert into question_pools (university_id, course_id, title, description) values
      (1, 4, 'Own', 'Of the course'), (1, null, 'Shared', 'Of all');
    insert into questions (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, is_active)
    select 1, 'single_choice', 'Question ' || n, '[{"id": "A", "text": "Yes"}]', '{"option_id": "A"}', 'So it is', 2, n > 1
    from generate_series(1, 20) as n;
    update questions set question_text = 'Changed' where id = 2;
    insert into modules (course_id, parent_module_id, module_type, module_template_id, title, description,
      sequence_index, is_published, available_from, due_at)
    select 4, case when n > 12 then 4 + (n - 13) / 9 when n > 1 then 4 end, 'unit', 1, 'Module ' || n, 'About ' || n, n, n % 7 > 0,
      timestamptz '2026-09-07 09:00+02' + interval '1 day' * n, timestamptz '2026-12-11 23:59+01' + interval '1 day' * n
    from generate_series(1, 112) as n;
    update modules set requires_module_ids = array[id - 1, id - 2] where course_id = 4 and depth = 2 and id % 12 = 0;
    insert into content_items (module_id, course_id, university_id, content_type_id, title, description, sequence_index,
      estimated_duration_seconds, tutor_line, data_json, is_active, available_from, due_at)
    select 4 + n % 112, 4, 1, type.id, 'Item ' || n, 'About ' || n, n, 60 * n, 'Line ' || n,
      case when n % 2 = 0 then jsonb_build_object('question_pool_id', 1 + n % 4 / 2, 'quiz_mode', 'mastery', 'passing_percent', 60)
           else jsonb_build_object('blocks', jsonb_build_array(jsonb_build_object('type', 'text', 'text', n))) end,
      n % 10 > 0, '2026-10-20 09:00+02', timestamptz '2026-10-27 23:59+01'
    from generate_series(1, 1000) as n
    join content_types as type on type.name = case when n % 2 = 0 then 'quiz' else 'text' end;
    update content_items set origin_item_id = 1 where course_id = 4;
    insert into answer_pins (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
    select id, '["Start.", "a"]', sha256_hex('["Start.", "a"]'), '{"questionId": "q1"}', 'q1', 'By hand.', '{"questionId": "q2"}',
      '{"b": "b"}', '{"answer": "A"}', 2, '2026-03-01Z'
    from content_items where title = 'Item 3';
    insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by, version)
    select 4, id, 'Solution', '["Fact"]'::jsonb, '["Error"]'::jsonb, '["Never"]'::jsonb, 2, 3 from content_items where title = 'Item 3'
    union all select 4, null, 'Of all', '["Fact"]', '["Error"]', '["Never"]', 2, 2;
    insert into course_offerings (course_id, university_id, term_id, starts_at, ends_at, enrollment_start, enrollment_end,
      visibility, capacity, enrollment_mode, enrollment_key, completion_rule)
    values (4, 1, 1, '2026-09-07 09:00+02', '2026-12-18 20:00+01', '2026-08-01 00:00+02', '2026-09-14 00:00+02',
      'public', 30, 'key', 'beats', 'manual');
    insert into course_offering_instructors (course_offering_id, user_id) values (4, 2), (4, 1);
    insert into enrollments (user_id, course_offering_id) values (3, 4)`);
});

const where = ({ of }: Copied, course: unknown) => of.replace("$", String(course));

/** The rows of a table in the order of their ids, without the columns that differ in a copy. */
const sameOf = (table: string, one: Copied, course: unknown) => {
  const others = [...one.own, ...(one.dates ?? [])];
  return column(
    `select to_jsonb(one) - '{${others}}'::text[] from ${table} as one where ${where(one, course)} order by id`,
  );
};

const movedOf = (table: string, one: Copied, course: unknown, by: number) =>
  rows(
    `select ${(one.dates ?? []).map(
      (name) => `(${name} at time zone 'Europe/Madrid' + interval '${by} days')::text as ${name}`,
    )} from ${table} where ${where(one, course)} order by id`,
  );

async function compare(tables: Record<string, Copied>, source: unknown, target: unknown) {
  for (const [table, one] of Object.entries(tables)) {
    const original = await sameOf(table, one, source);
    expect(original.length, table).toBeGreaterThan(0);
    expect(await sameOf(table, one, target), table).toEqual(original);
    if (one.dates)
      expect(await movedOf(table, one, target, 0), table).toEqual(await movedOf(table, one, source, days));
  }
}

const copy = (wanted: object) =>
  value(`select (course).id from copy_course(4, '${JSON.stringify(wanted)}'::jsonb)`);

describe("copy_course", () => {
  it("makes a course of a thousand items that equals its original in all but ids and dates", async () => {
    const target = await copy({ code: "EE-101-S27", title: "Signals again", shift_days: days });
    await compare(copied, 4, target);
    expect(await rows(`select title, code, search_text from courses where id = ${target}`)).toEqual([
      { title: "Signals again", code: "EE-101-S27", search_text: " signals again ee 101 s27" },
    ]);
    expect(
      await column(
        `select distinct version from questions where ${where(copied["questions"] as Copied, target)}`,
      ),
    ).toEqual([1]);
  });

  it("has an original with a value in each column, so a missing column fails", async () => {
    for (const [table, one] of Object.entries({ ...copied, ...copiedRuns })) {
      const silent = await column(`
        select key from ${table} as one, jsonb_each(to_jsonb(one)) where ${where(one, 4)}
        group by key having bool_and(value in ('null', '[]'))`);
      expect(silent, table).toEqual([]);
    }
    // For courses every column is named; an unnamed one has its default in the copy.
    const usual = await column(`
      with usual as (insert into courses (university_id, title, code) values (1, 'Usual', 'U') returning *)
      select mine.key from courses as one, usual, jsonb_each(to_jsonb(one)) as mine
      join lateral jsonb_each(to_jsonb(usual)) as theirs on theirs.key = mine.key and theirs.value = mine.value
      where one.id = 4`);
    expect(usual.filter((name) => !made.includes(String(name)))).toEqual(["university_id"]);
  });

  it("copies, or excludes on purpose, every reference to a part of a course", async () => {
    const parts = Object.keys({ ...copied, ...copiedRuns });
    const referring = await column(`
      select distinct conrelid::regclass::text from pg_constraint
      where contype = 'f' and confrelid::regclass::text in (${parts.map((part) => `'${part}'`)}, 'question_versions')`);
    expect(referring.sort()).toEqual([...parts.filter((part) => part !== "courses"), ...left].sort());
  });

  it("copy_course leads from copies to copies alone", async () => {
    const target = await value("select (course).id from copy_course(4, '{}')");
    const shapeOf = (course: unknown) =>
      rows(`select one.title, above.title as above, (
          select array_agg(asked.title order by place) from unnest(one.requires_module_ids) with ordinality as r (id, place)
          join modules as asked on asked.id = r.id and asked.course_id = one.course_id) as asks
        from modules as one left join modules as above on above.id = one.parent_module_id
        where one.course_id = ${course} order by one.sequence_index, one.depth, one.title`);
    expect(await shapeOf(target)).toEqual(await shapeOf(4));
    const origins = await rows(`
      select distinct original.course_id, original.title = copy.title as is_same from content_items as copy
      join content_items as original on original.id = copy.origin_item_id where copy.course_id = ${target}`);
    expect(origins).toEqual([{ course_id: 4, is_same: true }]);
    const itemsOf = (course: unknown) =>
      rows(`select item.title, m.title as module, data_json - 'question_pool_id' as data, pool.title as pool,
          pool.course_id = item.course_id as is_own
        from content_items as item join modules as m on m.id = module_id and m.course_id = item.course_id
        left join question_pools as pool on pool.id = (data_json ->> 'question_pool_id')::int
        where item.course_id = ${course} order by item.id`);
    expect(await itemsOf(target)).toEqual(await itemsOf(4));
    const versions = `select count(*)::int from question_versions join questions on id = question_id
      where ${where(copied["questions"] as Copied, target)}`;
    expect(await value(versions)).toBe(20);
  });

  it("rewrite_item_links_to_copies points links at copies, and leaves other links unchanged", async () => {
    const to = (words: string) =>
      value(`select rewrite_item_links_to_copies('${words}', '{"1": 12, "12": 1}')`);
    expect(await to("[a](#/items/1), [b](#/items/12/notes) and [c](#/items/121)")).toBe(
      "[a](#/items/12), [b](#/items/1/notes) and [c](#/items/121)",
    );
    expect(await to("See https://example.edu/#/items/1, #/items/1.")).toBe(
      "See https://example.edu/#/items/1, #/items/1.",
    );
    await rows(`insert into modules (course_id, module_type, title) values (2, 'unit', 'Elsewhere')`);
    await rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
      select max(modules.id), 2, 1, min(content_type_id), 'Elsewhere', '{}' from modules, content_items`);
    const other = await value("select max(id) from content_items");
    await rows(`update content_items set description = '[on](#/items/2)',
      data_json = '{"blocks": [{"content": "[on](#/items/2) or [off](#/items/${other})"}]}' where id = 1`);
    await rows("update modules set description = '[first](#/items/1)' where id = 1");
    const target = await value(`select (course).id from copy_course(1, '{}')`);
    const copyOf = (item: number) =>
      value(`select id from content_items where course_id = ${target} and origin_item_id = ${item}`);
    const [first, second] = [await copyOf(1), await copyOf(2)];
    expect(await rows(`select description, data_json from content_items where id = ${first}`)).toEqual([
      {
        description: `[on](#/items/${second})`,
        data_json: { blocks: [{ content: `[on](#/items/${second}) or [off](#/items/${other})` }] },
      },
    ]);
    expect(await column(`select description from modules where course_id = ${target} and depth = 0`)).toEqual(
      [`[first](#/items/${first})`],
    );
    const beside = await value("select (copy_content_item_after_itself(1)).id");
    expect(await value(`select description from content_items where id = ${beside}`)).toBe("[on](#/items/2)");
  });

  it("copy_modules_and_items gives copies the ids that were chosen, and says of single ones what is told", async () => {
    const target = await value(
      "insert into courses (university_id, title, code) values (1, 'Signals', 'EE-103') returning id",
    );
    const [above, below] = await column(
      "select id from modules where course_id = 4 and title in ('Module 1', 'Module 2') order by id",
    );
    const modules = JSON.stringify({ [String(above)]: 9001, [String(below)]: 9002 });
    // A quiz draws from the copy of its pool; a lesson has pins and notes.
    const [quiz, lesson] = await column(
      "select id from content_items where course_id = 4 and title in ('Item 3', 'Item 4') order by title desc",
    );
    await rows(`update content_items set module_id = ${below} where id in (${quiz}, ${lesson})`);
    const items = JSON.stringify({ [String(lesson)]: 9101, [String(quiz)]: 9102 });
    const own = JSON.stringify({
      modules: { [String(below)]: { title: "Another", is_published: false } },
      items: { [String(quiz)]: { title: "Another quiz" } },
    });
    await rows(
      `select copy_modules_and_items('${modules}', '${items}', ${target}, '{"1": 2}', 7, 'Europe/Madrid', '${own}')`,
    );
    expect(
      await rows(`select id, parent_module_id, title, is_published, version, due_at = (
          select moment_plus_local_days(due_at, 7, 'Europe/Madrid') from modules as one
          where one.id = case m.id when 9001 then ${above} else ${below} end) as is_later
        from modules as m where course_id = ${target} order by id`),
    ).toEqual(
      [
        ...[{ id: 9001, parent_module_id: null, title: "Module 1", is_published: true }],
        ...[{ id: 9002, parent_module_id: 9001, title: "Another", is_published: false }],
      ].map((one) => ({ ...one, version: 1, is_later: true })),
    );

    expect(
      await rows(`select id, module_id, origin_item_id, title, data_json -> 'question_pool_id' as pool,
          due_at = '2026-11-03 23:59+01' as is_later from content_items where course_id = ${target} order by id`),
    ).toEqual([
      { id: 9101, module_id: 9002, origin_item_id: lesson, title: "Item 3", pool: null, is_later: true },
      { id: 9102, module_id: 9002, origin_item_id: quiz, title: "Another quiz", pool: 2, is_later: true },
    ]);
    for (const table of ["answer_pins", "tutor_notes"])
      expect(await value(`select count(*)::int from ${table} where content_item_id = 9101`), table).toBe(1);
  });

  it("copy_course counts until the code is free", async () => {
    expect(await value(`select code from courses where id = ${await copy({})}`)).toBe("EE-101-2");
    expect(await value(`select code from courses where id = ${await copy({})}`)).toBe("EE-101-3");
    await rows("update courses set code = repeat('x', 128) where id = 4");
    expect(await value(`select length(code) from courses where id = ${await copy({})}`)).toBe(128);
    expect((await refusal(`select copy_course(4, '{"code": "DE"}')`)).constraint).toBe(
      "courses_university_id_code_unique",
    );
  });

  it("moment_plus_local_days keeps the local time of the day; days_to_shift_dates returns the distance", async () => {
    const later = (moment: string, by: number) =>
      value(`select moment_plus_local_days('${moment}', ${by}, 'Europe/Madrid') = '2027-03-29 09:00+02'`);
    expect(await later("2026-09-28 09:00+02", 182)).toBe(true);
    expect(await later("2027-03-27 09:00+01", 2)).toBe(true);
    expect(
      await value(`select days_to_shift_dates(null, '{"starts_on": "2026-09-10"}', 'Europe/Madrid', 4)`),
    ).toBe(2);
    const move = (wanted: string) =>
      value(`select days_to_shift_dates('2026-09-08 00:30+02', '${wanted}', 'Europe/Madrid')`);
    expect(await move('{"starts_on": "2027-02-01"}')).toBe(146);
    expect(await move('{"shift_days": -3}')).toBe(-3);
    expect(await move("{}")).toBe(0);
    expect((await refusal(`select copy_course(1, '{"starts_on": "2027-02-01"}')`)).constraint).toBe(
      "copies_have_dates",
    );
    expect((await refusal(`select moment_plus_local_days('9999-12-31', 1, 'UTC')`)).constraint).toBe(
      "copies_within_calendar",
    );
  });
});

describe("copy_module_after_itself and copy_content_item_after_itself", () => {
  const within: Record<string, (modules: string) => string> = {
    modules: (modules) => `id in (${modules})`,
    content_items: (modules) => `module_id in (${modules})`,
    answer_pins: (modules) =>
      `content_item_id in (select id from content_items where module_id in (${modules}))`,
    tutor_notes: (modules) =>
      `content_item_id in (select id from content_items where module_id in (${modules}))`,
  };
  const insideOf = (module: unknown) => `
    with recursive inside (id) as (
      select ${module}::int union all
      select below.id from inside join modules as below on below.parent_module_id = inside.id)
    select id from inside`;
  /** The columns that differ in a copy in the same course; for the module also its title and position. */
  const own: Record<string, string[]> = {
    modules: [...made, "parent_module_id", "requires_module_ids"],
    content_items: [...made, "module_id", "origin_item_id"],
    answer_pins: ["id", "content_item_id"],
    tutor_notes: [...made, "content_item_id"],
  };
  const allOf = (table: string, where: string, others = own[table]) =>
    column(`select to_jsonb(one) - '{${others}}'::text[] from ${table} as one where ${where} order by id`);

  it("copy a module with all that a copy of its course would carry of it, hidden, behind it", async () => {
    const module = await value("select id from modules where course_id = 4 and title = 'Module 1'");
    const [copy] = await rows(`select * from copy_module_after_itself(${module})`);
    expect(copy).toMatchObject({
      title: "Module 1 (copia)",
      is_published: false,
      sequence_index: 2,
      version: 1,
    });
    for (const [table, where] of Object.entries(within)) {
      const [original, copied] = [where(insideOf(module)), where(insideOf(copy?.["id"]))];
      const others = [
        ...(own[table] ?? []),
        ...(table === "modules" ? ["title", "is_published", "sequence_index"] : []),
      ];
      const expected = await allOf(table, original, others);
      expect(expected.length, table).toBeGreaterThan(0);
      expect(await allOf(table, copied, others), table).toEqual(expected);
    }
    const asks = (inside: unknown) =>
      rows(`select one.title, array(
          select asked.title || case when asked.id in (${insideOf(inside)}) then '' else ' elsewhere' end
          from unnest(one.requires_module_ids) with ordinality as r (id, place) join modules as asked on asked.id = r.id
          order by place) as asks
        from modules as one where one.id in (${insideOf(inside)}) and depth > 1 order by id`);
    expect(await asks(copy?.["id"])).toEqual(await asks(module));
    const origins = await rows(`
      select distinct original.title = copy.title as is_same from content_items as copy
      join content_items as original on original.id = copy.origin_item_id
      where copy.module_id in (${insideOf(copy?.["id"])})`);
    expect(origins).toEqual([{ is_same: true }]);
  });

  it("copy an item with its pins and notes after it, and truncate a long name", async () => {
    const [item] = await rows(
      "select * from content_items where course_id = 4 and title = 'Item 3' order by id limit 1",
    );
    const [copy] = await rows(`select * from copy_content_item_after_itself(${item?.["id"]})`);
    expect(copy).toMatchObject({
      title: "Item 3 (copia)",
      is_active: false,
      sequence_index: Number(item?.["sequence_index"]) + 1,
      origin_item_id: item?.["id"],
    });
    const same = [...(own["content_items"] ?? []), "title", "is_active", "sequence_index"];
    expect(await allOf("content_items", `id = ${copy?.["id"]}`, same)).toEqual(
      await allOf("content_items", `id = ${item?.["id"]}`, same),
    );
    for (const table of ["answer_pins", "tutor_notes"])
      expect(await allOf(table, `content_item_id = ${copy?.["id"]}`), table).toEqual(
        await allOf(table, `content_item_id = ${item?.["id"]}`),
      );
    expect(await value("select length(title_of_copy(repeat('x', 255), 'de-AT'))")).toBe(255);
    expect(await column("select title_of_copy('A', l) from unnest('{en,de-AT,fr}'::text[]) as l")).toEqual([
      "A (copy)",
      "A (Kopie)",
      "A (copy)",
    ]);
  });
});

describe("copy_offering_with_or_without_course", () => {
  const copyRun = async (wanted: object) =>
    (
      await rows(
        `select id, course_id, term_id, term_name from copy_offering_with_or_without_course(4, '${JSON.stringify(wanted)}'::jsonb)`,
      )
    )[0];

  it("copies a run with its course, its settings and its instructors, and without its people", async () => {
    const run = await copyRun({ shift_days: days });
    await compare({ ...copied, ...copiedRuns }, 4, run?.["course_id"]);
    expect(await rows(`select from enrollments where course_offering_id = ${run?.["id"]}`)).toEqual([]);
  });

  it("takes how a run is graded and certified along, items by their copies, by copy_offering_with_or_without_course", async () => {
    await rows(`
      insert into certificate_settings (course_offering_id, issuance, valid_for_days) values (4, 'by_staff', 365);
      insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
      select 4, '[{"letter": "A", "min_percent": 90}]', 70, jsonb_build_array(
        jsonb_build_object('name', 'Labs', 'weight', 2, 'content_item_ids', jsonb_agg(id order by id desc))), 'automatic'
      from (select id from content_items where course_id = 4 order by id limit 3) as item`);
    const gradedBy = async (run: unknown) =>
      (
        await rows(`select letter_scale, passing_percent::float8, release_mode, groups -> 0 ->> 'name' as name, (
            select array_agg(item.title order by place)
            from jsonb_array_elements_text(groups -> 0 -> 'content_item_ids') with ordinality as one (id, place)
            join content_items as item on item.id = one.id::int and item.course_id = run.course_id) as titles
          from grading_schemes join course_offerings as run on run.id = course_offering_id where run.id = ${run}`)
      )[0];
    expect(await gradedBy(4)).toMatchObject({ titles: { length: 3 } });
    for (const same_course of [false, true]) {
      const run = await copyRun({ same_course });
      expect(await gradedBy(run?.["id"])).toEqual(await gradedBy(4));
      const certified = `select issuance, valid_for_days from certificate_settings where course_offering_id = ${run?.["id"]}`;
      expect(await rows(certified)).toEqual([{ issuance: "by_staff", valid_for_days: 365 }]);
    }
  });

  it("makes a further run of the same course, of another term, from a day on", async () => {
    await rows(
      `insert into terms (university_id, name, starts_on, ends_on) values (1, 'Spring', '2027-02-01', '2027-06-18')`,
    );
    const [spring] = await column("select max(id) from terms");
    const run = await copyRun({ same_course: true, term_id: spring, starts_on: "2027-02-01" });
    expect(run).toMatchObject({ course_id: 4, term_id: spring, term_name: "Spring" });
    const dates = `select starts_at = '2027-02-01 09:00+01' and enrollment_start = '2026-12-26 00:00+01' from course_offerings where id = ${run?.["id"]}`;
    expect(await value(dates)).toBe(true);
    expect(
      await column(
        `select user_id from course_offering_instructors where course_offering_id = ${run?.["id"]} order by id`,
      ),
    ).toEqual([2, 1]);
    expect(await copyRun({ same_course: true, term_id: null })).toMatchObject({
      term_id: null,
      term_name: null,
    });
  });
});
