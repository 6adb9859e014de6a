import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";
import { tutorVersion } from "./conversations.ts";

const { column, rows, value, refusal } = openSession();

/**
 * The last arguments of functions that change prompts: maximum nesting of references, and maximum length of a
 * resolved text.
 */
const limits = "5, 1000";

const reference = (name: string) =>
  JSON.stringify([
    { child_name: name, child_version: null, child_label: "production", occurrences: 1, tag_characters: 0 },
  ]);

/** Makes a version of a name; `to` is the label of another name that it references. */
const create = (name: string, { labels = "{}", to = "", tags = "null" } = {}) =>
  rows(creation(name, { labels, to, tags }));

const creation = (name: string, { labels = "{}", guarded = "{}", to = "", tags = "null" } = {}) =>
  `select version, labels from create_prompt_version('${name}', jsonb_build_object(
    'prompt', 'Text', 'labels', '${labels}'::text[], 'tags', ${tags}::text[], 'commit_message', 'Why',
    'references', '${to ? reference(to) : "[]"}'::jsonb), '${guarded}', 1, ${limits})`;

const setLabels = (name: string, version: number, wanted: string, guarded = "{}") =>
  `select version, labels from set_prompt_labels('${name}', ${version}, '${wanted}', '${guarded}', 1, ${limits})`;

it.each([
  ["the course's own", "'own', '{\"model\": \"small\"}'", "own"],
  ["the version's", 'null, \'{"model": "small"}\'', "small"],
  ["the configured one if the version's is not allowed", 'null, \'{"model": "huge"}\'', "model"],
  ["the configured one by default", "null, '{}'", "model"],
])("effective_tutor_model is %s", async (_, named, model) => {
  expect(await column(`select effective_tutor_model(${named}, '["small"]', 'model')`)).toEqual([model]);
});

describe("tutor_prompt_of_content_type", () => {
  const followed = async (moved = "") =>
    (await rows(`select name, version from tutor_prompt_of_content_type('quiz', 'tutor'${moved})`))[0];
  const id = (name: string, version: number) =>
    `(select id from prompts where name = '${name}' and version = ${version})`;

  it("is the prompt of the content type if one is labelled production, else the one for all", async () => {
    await create("tutor-quiz");
    expect(await followed()).toEqual({ name: "tutor", version: tutorVersion });
    await rows(setLabels("tutor-quiz", 1, "{production}"));
    expect(await followed()).toEqual({ name: "tutor-quiz", version: 1 });
    await rows("delete from prompt_labels where label = 'production'");
    expect(await followed()).toBeUndefined();
  });

  it("is the one that a move of a label would make it", async () => {
    await create("tutor");
    expect(await followed(`, 'tutor', ${id("tutor", tutorVersion + 1)}`)).toEqual({
      name: "tutor",
      version: tutorVersion + 1,
    });
    await create("tutor-quiz");
    expect(await followed(`, 'tutor-quiz', ${id("tutor-quiz", 1)}`)).toEqual({
      name: "tutor-quiz",
      version: 1,
    });
    await rows(setLabels("tutor-quiz", 1, "{production}"));
    expect(await followed(", 'tutor-quiz', null"), "taken off").toEqual({
      name: "tutor",
      version: tutorVersion,
    });
  });
});

it("lock_all_prompts makes changes of prompts wait for each other", async () => {
  await rows("select lock_all_prompts()");
  const locks = `select count(*)::int from pg_locks where locktype = 'advisory' and classid = 'prompts'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  expect(await value(locks)).toBe(1);
});

it("lock_prompts_and_check_name_version is the name in an expected version, which each change increases", async () => {
  await create("tutor");
  const version = Number(await value("select version from prompt_names where name = 'tutor'"));
  const at = (expected: number[]) =>
    `select lock_prompts_and_check_name_version('tutor', '{${expected.join()}}')`;
  expect(await value(at([version, version + 1]))).toBe("tutor");
  await rows("select set_prompt_tags('tutor', '{exact}')");
  expect((await refusal(at([version]))).constraint).toBe("prompt_names_version");
  await rows("select set_prompt_tags('tutor', '{exact}')");
  expect(await value(at([version + 1]))).toBe("tutor");
});

it("raise_prompt_rule_violation names the rule as the constraint, and explains it in the detail", async () => {
  expect(await refusal("select raise_prompt_rule_violation('prompt_rule', 'tone')")).toEqual({
    constraint: "prompt_rule",
    detail: "tone",
  });
});

describe("create_prompt_version", () => {
  it("numbers the versions of a name from 1, and takes `latest` and the labels along", async () => {
    expect(await create("tone", { labels: "{production}" })).toEqual([
      { version: 1, labels: ["latest", "production"] },
    ]);
    expect(await create("tone")).toEqual([{ version: 2, labels: ["latest"] }]);
    expect(await value("select labels from prompt_versions where name = 'tone' and version = 1")).toEqual([
      "production",
    ]);
  });

  it("keeps the tags of the name if none are given", async () => {
    await create("tone", { tags: "'{style}'" });
    await create("tone");
    expect(await value("select tags from prompt_names where name = 'tone'")).toEqual(["style"]);
  });

  it("rejects a reference without a target, and a cycle", async () => {
    const to = (name: string) => creation("tone", { labels: "{production}", to: name });
    const missing = await refusal(to("nothing"));
    expect(missing.constraint).toBe("prompt_references_whole");
    expect(JSON.parse(missing.detail ?? "")).toMatchObject({
      problem: "missing",
      chain: ["tone", "nothing"],
    });
    const cycle = await refusal(to("tone"));
    expect(JSON.parse(cycle.detail ?? "")).toMatchObject({ problem: "cycle", chain: ["tone", "tone"] });
  });

  it("rejects unknown variables of the tutor's prompt and of the prompts it references, each named once", async () => {
    const save = (name: string, prompt: string, more: object = {}) =>
      `select version from create_prompt_version('${name}', '${JSON.stringify({
        ...{ prompt, labels: ["live"], tutor: { prompt: "guide", variables: ["title"] } },
        ...more,
      })}', '{}', null, ${limits})`;
    const below = { child_name: "tone", child_version: null, child_label: "live" };
    const references = [{ ...below, occurrences: 1, tag_characters: 10 }];
    expect(await value(save("tone", "{{pace}} {{ title }} {{mood}}"))).toBe(1);
    const { constraint, detail } = await refusal(
      save("guide", "{{titel}} {{mood}} {{titel}}", { references }),
    );
    expect([constraint, detail]).toEqual(["prompt_variables", "titel, mood, pace"]);
    expect(await value(save("guide", "{{title}}"))).toBe(1);
    expect(await value(save("guide", "{{titel}}", { tutor: undefined }))).toBe(2);
  });
});

describe("seed_prompt_version", () => {
  const seed = (name: string, body: string) =>
    value(`select seed_prompt_version('${name}', '${body}', 'Anew', ${limits})`);
  const versions = (name: string) =>
    rows(
      `select version, prompt, config, labels from prompt_versions where name = '${name}' order by version`,
    );

  it("adds a version that no label but `latest` is on, with the settings of the one in use, and once alone", async () => {
    await create("tone", { labels: "{production}" });
    await rows(`update prompts set config = '{"temperature": 0.2}' where name = 'tone'`);
    await create("tone");
    expect([await seed("tone", "Warm"), await seed("tone", "Warm")]).toEqual([true, false]);
    expect(await versions("tone")).toMatchObject([
      { version: 1, labels: ["production"] },
      { version: 2, labels: [] },
      { version: 3, prompt: "Warm", config: { temperature: 0.2 }, labels: ["latest"] },
    ]);
    // An older version has the text: its successor already replaced it.
    await create("tone");
    expect(await seed("tone", "Warm")).toBe(false);
  });

  it("is the tutor's prompt before the first account", async () => {
    await rows("set local session_replication_role = replica");
    await rows("delete from users");
    expect([await seed("tone", "Warm"), await seed("tone", "Warmer")]).toEqual([true, true]);
    expect(await versions("tone")).toMatchObject([
      { version: 1, labels: [] },
      { version: 2, labels: ["latest", "production"] },
    ]);
  });

  it("adds nothing to a name that was deleted, and changes nothing that is in use by `latest`", async () => {
    expect(await seed("tone", "Warm")).toBe(false);
    await create("tone");
    const follows = [{ ...JSON.parse(reference("tone"))[0], child_label: "latest" }];
    await rows(`select create_prompt_version('tutor-quiz',
      '${JSON.stringify({ prompt: "Text", labels: ["production"], references: follows })}', '{}', 1, ${limits})`);
    expect(await seed("tone", "Warm")).toBe(false);
    expect(await versions("tone")).toMatchObject([{ version: 1, labels: ["latest"] }]);
  });
});

describe("set_prompt_labels", () => {
  it("sets the labels of a version, moves them from others, and records the moves", async () => {
    await create("tone", { labels: "{production}" });
    await create("tone", { labels: "{staging}" });
    expect(await rows(setLabels("tone", 2, "{production}"))).toEqual([
      { version: 2, labels: ["latest", "production"] },
    ]);
    expect(
      await rows(`select label, from_version, to_version from prompt_label_events
        where name = 'tone' and from_version is not null order by id`),
    ).toEqual([
      { label: "latest", from_version: 1, to_version: 2 },
      { label: "production", from_version: 1, to_version: 2 },
      { label: "staging", from_version: 2, to_version: null },
    ]);
  });

  it("leaves `latest` unchanged, and the guarded labels to others", async () => {
    await create("tone");
    await create("tone");
    expect((await refusal(setLabels("tone", 1, "{latest}"))).constraint).toBe("prompt_labels_latest");
    expect((await refusal(setLabels("tone", 1, "{production}", "{production}"))).constraint).toBe(
      "prompt_labels_protected",
    );
  });

  it("leaves a label that a guarded version reaches to others, also as a new version's, and names that version", async () => {
    await create("tone", { labels: "{production,staging}" });
    await create("tutor-text", { labels: "{live}", to: "tone" });
    const followed = { constraint: "prompt_labels_followed", detail: "tutor-text (version 1)" };
    expect(await refusal(setLabels("tone", 1, "{staging}", "{live}"))).toEqual(followed);
    expect(await refusal(creation("tone", { labels: "{production}", guarded: "{live}" }))).toEqual(followed);
    expect(await rows(setLabels("tone", 1, "{production,latest}", "{live}"))).toEqual([
      { version: 1, labels: ["latest", "production"] },
    ]);
    expect(await rows(creation("tone", { guarded: "{live}" }))).toEqual([{ version: 2, labels: ["latest"] }]);
  });

  it("returns no row for a missing version", async () => {
    expect(await rows(setLabels("nothing", 1, "{}"))).toEqual([]);
  });
});

it("place_or_remove_prompt_labels puts labels on a version, or removes them without one", async () => {
  await create("tone", { labels: "{production}" });
  await rows("select place_or_remove_prompt_labels('tone', '{production}', null, 1)");
  expect(await value("select labels from prompt_versions where name = 'tone'")).toEqual(["latest"]);
  await rows(
    "select place_or_remove_prompt_labels('tone', '{staging}', (select id from prompts where name = 'tone'), 1)",
  );
  expect(await value("select labels from prompt_versions where name = 'tone'")).toEqual([
    "latest",
    "staging",
  ]);
});

it("set_prompt_tags sets the tags of a name, and says whether there is one", async () => {
  await create("tone");
  expect(await value("select set_prompt_tags('tone', '{style}')")).toBe(true);
  expect(await value("select tags from prompt_versions where name = 'tone'")).toEqual(["style"]);
  expect(await value("select set_prompt_tags('nothing', '{style}')")).toBe(false);
});

describe("delete_prompt_versions", () => {
  it("gives `latest` to the newest version that remains, and deletes the name with the last", async () => {
    await create("tone");
    await create("tone");
    expect(await value("select delete_prompt_versions('tone', 2, 1, 5, 1000)")).toBe(true);
    expect(await rows("select version, labels from prompt_versions where name = 'tone'")).toEqual([
      { version: 1, labels: ["latest"] },
    ]);
    expect(await value("select delete_prompt_versions('tone', null, 1, 5, 1000)")).toBe(true);
    expect(await value("select delete_prompt_versions('tone', null, 1, 5, 1000)")).toBe(false);
    expect(await column("select name from prompt_names where name = 'tone'")).toEqual([]);
  });

  it("is rejected while another prompt depends on a deleted version, which it names", async () => {
    await create("tone", { labels: "{production}" });
    await create("tutor-text", { to: "tone" });
    expect(await refusal("select delete_prompt_versions('tone', 1, 1, 5, 1000)")).toEqual({
      constraint: "prompt_dependents",
      detail: "tutor-text (version 1)",
    });
  });
});
