import { beforeEach, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value, refusal } = openSession();

/* top → middle → bottom, by the label production; loose references a missing prompt. Ids are 101 to 104. */
beforeEach(async () => {
  await rows(
    `insert into prompt_names (name, latest_version) select name, 1 from unnest('{top,middle,bottom,loose}'::text[]) as name`,
  );
  await rows(`insert into prompts (id, name, version, prompt) overriding system value values
    (101, 'top', 1, 'Top'), (102, 'middle', 1, 'Middle'), (103, 'bottom', 1, 'Bottom'), (104, 'loose', 1, 'Loose')`);
  await rows(
    `insert into prompt_labels (name, label, prompt_id) select name, 'production', id from prompts where id > 100`,
  );
  await rows(`insert into prompt_dependencies (prompt_id, position, child_name, child_label, child_version) values
    (101, 1, 'middle', 'production', null), (102, 1, 'bottom', null, 1), (104, 1, 'nothing', 'production', null)`);
});

it("prompt_links shows the current target of each reference", async () => {
  expect(await rows("select prompt_id, child_id from prompt_links order by 1")).toEqual([
    { prompt_id: 101, child_id: 102 },
    { prompt_id: 102, child_id: 103 },
    { prompt_id: 104, child_id: null },
  ]);
});

it("is_prompt_resolvable checks that every reference has a target, at most so many levels deep", async () => {
  expect(await value("select is_prompt_resolvable(101, 5)")).toBe(true);
  expect(await value("select is_prompt_resolvable(101, 2)")).toBe(true);
  expect(await value("select is_prompt_resolvable(101, 1)")).toBe(false);
  expect(await value("select is_prompt_resolvable(104, 5)")).toBe(false);
  await rows(
    "insert into prompt_dependencies (prompt_id, position, child_name, child_label) values (103, 1, 'top', 'production')",
  );
  expect(await value("select is_prompt_resolvable(101, 5)"), "a cycle is endlessly deep").toBe(false);
});

it("prompts_depending_on_labels returns prompts that reference a label, directly or through others", async () => {
  expect(await column("select prompts_depending_on_labels('middle', '{production}')")).toEqual([101]);
  expect(await column("select prompts_depending_on_labels('middle', '{staging}')")).toEqual([]);
  expect(await column("select prompts_depending_on_labels('nothing', '{production}')")).toEqual([104]);
});

it("resolved_prompt_lengths counts a prompt's characters, and those below it as often as they are referenced", async () => {
  const lengths = (deepest: number) =>
    `select * from resolved_prompt_lengths('{101,103}', ${deepest}) order by 1`;
  expect(await rows(lengths(5))).toEqual([
    { prompt: 101, characters: String(3 + 6 + 6) },
    { prompt: 103, characters: "6" },
  ]);
  // The middle occurs ten times, with two tag characters, and has the bottom three times, with six.
  await rows("update prompt_dependencies set occurrences = 10, tag_characters = 2 where prompt_id = 101");
  await rows("update prompt_dependencies set occurrences = 3, tag_characters = 6 where prompt_id = 102");
  expect((await rows(lengths(5)))[0]).toEqual({ prompt: 101, characters: String(1 + 10 * (0 + 3 * 6)) });
  expect((await rows(lengths(1)))[0], "one level deep").toEqual({ prompt: 101, characters: "1" });
  expect(await rows("select * from resolved_prompt_lengths('{}', 5)")).toEqual([]);
});

it("resolvable_prompts_depending_on_labels leaves out prompts above a label that are broken, too deep or too long", async () => {
  const reaching = (name: string, deepest = 5, longest = 15) =>
    value(`select resolvable_prompts_depending_on_labels('${name}', '{production}', ${deepest}, ${longest})`);
  expect(await reaching("middle")).toEqual([101]);
  expect(await reaching("middle", 5, 14)).toEqual([]);
  expect(await reaching("middle", 1)).toEqual([]);
  expect(await reaching("nothing")).toEqual([]);
});

it("refuse_broken_prompts accepts whole ones, and shows the path to the first broken reference", async () => {
  expect((await refusal("select refuse_broken_prompts('{101,102}', 5, 15)")).constraint).toBeUndefined();
  const { constraint, detail } = await refusal("select refuse_broken_prompts('{101,104}', 5, 15)");
  expect(constraint).toBe("prompt_references_whole");
  expect(JSON.parse(detail ?? "")).toEqual({
    ...{ problem: "missing", chain: ["loose", "nothing"] },
    ...{ child_version: null, child_label: "production" },
  });
});

it("refuse_broken_prompts names the first that would be too long", async () => {
  const { constraint, detail } = await refusal("select refuse_broken_prompts('{103,101,102}', 5, 10)");
  expect(constraint).toBe("prompt_references_whole");
  expect(JSON.parse(detail ?? "")).toEqual({ problem: "too long", chain: ["top"] });
});

it("refuse_label_move_affecting_guarded_prompts names versions with a guarded label that reach a moving one", async () => {
  const move = (name: string, guarded: string) =>
    refusal(`select refuse_label_move_affecting_guarded_prompts('${name}', '{production}', '${guarded}')`);
  await rows("insert into prompt_labels (name, label, prompt_id) values ('top', 'live', 101)");
  expect(await move("middle", "{live}")).toEqual({
    constraint: "prompt_labels_followed",
    detail: "top (version 1)",
  });
  expect((await move("middle", "{}")).constraint, "nothing is guarded").toBeUndefined();
  expect((await move("bottom", "{live}")).constraint, "it is reached by its version").toBeUndefined();
});

it("referenced_prompts_with_links returns the prompts below the roots, and each reference's target", async () => {
  const reached = async (roots: string, deepest: number) => {
    const [row] = await rows(`select * from referenced_prompts_with_links('${roots}', 0, ${deepest})`);
    const { prompts, links } = row as { prompts: { name: string }[]; links: { child_id: number | null }[] };
    return [prompts.map(({ name }) => name).toSorted(), links.map(({ child_id }) => child_id).toSorted()];
  };
  expect(await reached("{101}", 5)).toEqual([
    ["bottom", "middle", "top"],
    [102, 103],
  ]);
  expect(await reached("{101}", 0), "one level more than the deepest").toEqual([
    ["middle", "top"],
    [102, 103],
  ]);
  expect(await reached("{103}", 5)).toEqual([["bottom"], []]);
});
