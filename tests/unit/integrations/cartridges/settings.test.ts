import { describe, expect, it } from "vitest";
import {
  canvasAssignmentRules,
  canvasDiscussionRules,
  canvasQuizRules,
  qtiAssessmentMetadataRules,
  settingRuleTables,
} from "../../../../lib/integrations/cartridges/canvas-settings.ts";
import { toQuizItems } from "../../../../lib/integrations/cartridges/quiz-item.ts";
import { readManifest } from "../../../../lib/integrations/cartridges/read-manifest.ts";
import { parseQtiQuiz } from "../../../../lib/integrations/cartridges/read-quiz.ts";
import { parseRubricXml } from "../../../../lib/integrations/cartridges/read-rubric.ts";
import {
  applySettingRules,
  applySettingRulesToPairs,
  resolveItemDates,
  type SettingRules,
} from "../../../../lib/integrations/cartridges/settings.ts";
import {
  childElements,
  element,
  elementAtPath,
  parseXml,
} from "../../../../lib/integrations/cartridges/xml.ts";
import { decodeOmission } from "../../../../lib/platform/results/omission-codes.ts";
import { writeCartridgeSettings } from "../../../../scripts/build/cartridge-settings/write.ts";
import { item, manifestOf, quizOf } from "../../../support/cartridges.ts";

const nothing = () => {};

const settings = (inner: string, rules: SettingRules = canvasQuizRules) =>
  applySettingRules(
    parseXml(`<quiz xmlns="http://canvas.instructure.com/xsd/cccv1p0">${inner}</quiz>`),
    rules,
  );

const linesOf = (inner: string, rules?: SettingRules) =>
  settings(inner, rules).leftOut.map((line) => decodeOmission(line).line);

/** An element below the elements of its path. */
const elementOf = (path: string, value: string): string =>
  path.split(".").reduceRight((inner, name) => `<${name}>${inner}</${name}>`, value);

const values = [
  "true",
  "false",
  "0",
  "5",
  "-1",
  "2027-02-01T12:00:00",
  "always",
  "unlimited",
  "points",
  "x y",
];

describe("settings of another program", () => {
  it.each(
    settingRuleTables.flatMap(({ title, rules }) =>
      Object.keys(rules).map((path) => [title, path, rules] as const),
    ),
  )("%s: each value of %s is taken over, has no effect or is reported", (_, path, rules) => {
    for (const value of values) {
      const rule = rules[path];
      const { taken, leftOut } = applySettingRulesToPairs([[path, value]], rules);
      const found = [Object.keys(taken).length > 0, rule?.same?.test(value) ?? false, leftOut.length === 1];
      const wanted = rule?.isPartial ? [true, true] : [true];
      expect([path, value, found.filter(Boolean)]).toEqual([path, value, wanted]);
    }
  });

  it("without a rule are reported by path and value, at any depth, whatever their value is", () => {
    for (const rules of [
      canvasQuizRules,
      canvasAssignmentRules,
      canvasDiscussionRules,
      qtiAssessmentMetadataRules,
    ])
      for (const path of ["newly_added", "assignment.newly_added", "deep.er.still"])
        for (const value of values)
          expect(linesOf(elementOf(path, value), rules)).toEqual([`setting ${path}: ${value}`]);
    expect(linesOf("<empty/><blank> </blank>")).toEqual([]);
  });

  it("are all accounted for in a file of random settings", () => {
    const paths = [...Object.keys(canvasQuizRules), "unknown_a", "unknown.b"].filter(
      (path) => !path.includes("."),
    );
    for (let seed = 1; seed <= 50; seed += 1) {
      const chosen = paths.filter((_, at) => (seed * 7919 + at * 104_729) % 3 === 0);
      const given = chosen.map((path, at): [string, string] => [
        path,
        values[(seed + at * 13) % values.length] ?? "",
      ]);
      const { taken, leftOut } = settings(given.map(([path, value]) => elementOf(path, value)).join(""));
      for (const [path, value] of given) {
        const alone = applySettingRulesToPairs([[path, value]], canvasQuizRules);
        for (const line of alone.leftOut) expect(leftOut).toContain(line);
        for (const name of Object.keys(alone.taken)) expect(taken).toHaveProperty(name);
      }
    }
  });

  it("are listed up to fifty, with the number of others", () => {
    const many = Array.from({ length: 73 }, (_, at) => `<s${at}>v</s${at}>`).join("");
    const lines = linesOf(many);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("23 more");
  });

  it("keep the answers hidden if they were ever hidden", () => {
    for (const hidden of [
      "<hide_results>always</hide_results>",
      "<show_correct_answers>false</show_correct_answers>",
      "<show_correct_answers>true</show_correct_answers><hide_results>always</hide_results>",
    ])
      expect(settings(hidden).taken.show_answers).toBe("never");
    expect(settings("<show_correct_answers>true</show_correct_answers>").taken).toEqual({});
    const dated = settings("<show_correct_answers_at>2027-02-01T12:00:00</show_correct_answers_at>");
    expect(dated.taken.show_answers).toBe("never");
    expect(dated.leftOut).toHaveLength(1);
  });

  it("never report an access code itself", () => {
    expect(linesOf("<access_code>sesame</access_code>")).toEqual(["the access code"]);
  });

  it("are each in the reference page, with what they become", () => {
    const page = writeCartridgeSettings();
    for (const { rules } of settingRuleTables)
      for (const path of Object.keys(rules)) expect(page).toContain(`| \`${path}\` |`);
  });
});

describe("dates of an item", () => {
  const [one, two, three] = [
    "2027-01-01T00:00:00.000Z",
    "2027-02-01T00:00:00.000Z",
    "2027-03-01T00:00:00.000Z",
  ];

  it.each([
    [{ available_from: one, due_at: two, lock_at: two }, { available_from: one, due_at: two }, 0],
    [{ lock_at: two }, { due_at: two }, 0],
    [{ due_at: two, lock_at: three }, { due_at: two }, 1],
    [{ available_from: three, due_at: two }, { due_at: two }, 1],
    [{ available_from: two, due_at: two }, { due_at: two }, 1],
    [{}, {}, 0],
  ])("%j become %j", (given, wanted, lost) => {
    const { leftOut, ...dates } = resolveItemDates(given);
    expect(dates).toEqual(wanted);
    expect(leftOut).toHaveLength(lost);
  });
});

describe("a description", () => {
  const long = "d".repeat(20_001);

  it("of a quiz is reported if it is cut", () => {
    const quiz = { ...parseQtiQuiz(parseXml(quizOf())), settings: { description: long } };
    const { items, leftOut } = toQuizItems(quiz, undefined);
    expect(items[0]?.description).toHaveLength(20_000);
    expect(leftOut.map((line) => decodeOmission(line).line)).toEqual([
      "description: the text after 20000 characters",
    ]);
    const short = { ...quiz, settings: { description: "Closed book." } };
    expect(toQuizItems(short, undefined)).toMatchObject({
      items: [{ description: "Closed book." }],
      leftOut: [],
    });
  });

  it("of a folder is reported if it is cut", () => {
    const about = `<metadata><lom><general><description><string>${long}</string></description></general></lom></metadata>`;
    const text = manifestOf(item("m", "Week", undefined, about), "");
    const { parts } = readManifest({ text, names: [], titles: { untitled: "U", further: "F" } });
    expect(parts[0]?.details.description).toHaveLength(10_000);
    expect(parts[0]?.details.left_out?.map((line) => decodeOmission(line).line)).toEqual([
      "description: the text after 10000 characters",
    ]);
  });
});

describe("a rubric", () => {
  const rating = (title: string, points: string) =>
    `<rating><description>${title}</description><points>${points}</points><long_description>L</long_description></rating>`;
  const rubrics = (ratings: string) =>
    parseXml(
      `<rubrics><rubric identifier="r1"><criteria><criterion><description>Style</description><ratings>${ratings}</ratings></criterion></criteria></rubric></rubrics>`,
    );

  it("has criteria and levels with their points", () => {
    expect(parseRubricXml(rubrics(rating("Good", "10.0") + rating("Poor", "2.5")), "r1", nothing)).toEqual({
      rubric: {
        criteria: [
          {
            ...{ id: "c1", title: "Style" },
            levels: [
              { id: "l1", title: "Good", description: "L", points: 10 },
              { id: "l2", title: "Poor", description: "L", points: 2.5 },
            ],
          },
        ],
      },
    });
  });

  it("gives no points for a criterion that is not scored, and reports it and each text that is cut", () => {
    const lines: string[] = [];
    const long = rating("Good", "10").replace("<long_description>L", `<long_description>${"l".repeat(2001)}`);
    const root = rubrics(long + rating("t".repeat(256), "2.5"));
    const [found] = childElements(root);
    const [criterion] = childElements(elementAtPath(found, "criteria") ?? root);
    criterion?.children.push(
      element("ignore_for_scoring", {}, "true"),
      element("criterion_use_range", {}, "true"),
    );
    found?.children.push(element("free_form_criterion_comments", {}, "false"));
    expect(parseRubricXml(root, "r1", (line) => lines.push(decodeOmission(line).line))).toMatchObject({
      rubric: {
        criteria: [{ title: "Style", levels: [{ points: 0 }, { points: 0, title: "t".repeat(255) }] }],
      },
    });
    expect(lines).toEqual([
      "setting criterion_use_range: true",
      "setting ignore_for_scoring: true",
      "Level 1: the text after 2000 characters",
      "Level 2: the text after 255 characters",
    ]);
  });

  it("is reported with the reason if it is missing or does not fit", () => {
    expect(parseRubricXml(rubrics(rating("Good", "10")), "r2", nothing)).toEqual({
      fault: "the cartridge does not contain it",
    });
    for (const ratings of ["", rating("Good", "many"), rating("x", "1").repeat(21)])
      expect(parseRubricXml(rubrics(ratings), "r1", nothing)).toHaveProperty("fault");
  });
});
