import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ErrorTextsOfLanguage } from "../../../app/src/error-value-labels.ts";
import { translateValidationIssue } from "../../../app/src/translate-validation-issue.ts";
import { issueTypes } from "../../../lib/errors.ts";
import { toFieldIssues } from "../../../lib/platform/validation/issues.ts";
import { Email } from "../../../schema/api/platform/email.ts";
import { integer, upperEnum } from "../../../schema/api/platform/fields.ts";
import { spokenIn } from "./spoken-in.ts";

const sentencesIn = async (language: string): Promise<Record<string, string>> =>
  (await spokenIn(language)).faults;
const spoken = Object.fromEntries(
  await Promise.all(
    ["en", "de", "es"].map(async (language) => [language, await spokenIn(language)] as const),
  ),
);
const inLanguage = (language: string) => (issue: Parameters<typeof translateValidationIssue>[0]) =>
  translateValidationIssue(issue, spoken[language] as ErrorTextsOfLanguage);
const [inEnglish, inGerman, inSpanish] = [inLanguage("en"), inLanguage("de"), inLanguage("es")] as const;

/** Messages that are built from their type or parts, or are for programs only. */
const composed = new Set([
  ...["multiple of 7", "valid 7", "valid integer", "valid date"].map((what) => `Input should be a ${what}`),
  ...["7", "7 7", "true or false", "greater than or equal to 7", "less than or equal to 7", "after 7"].map(
    (what) => `Input should be ${what}`,
  ),
  ...["Input 7", "Input should have 7", "Field required with ", "Input should be 'application/json'"],
]);

function issueOf(schema: z.ZodType, value: unknown) {
  const input = { field: value };
  const { error } = z.strictObject({ field: schema }).safeParse(input);
  const [issue] = toFieldIssues("body", input, error?.issues ?? []);
  if (!issue) throw new Error("The value has no issue");
  return issue;
}

describe("the service's message about a field", () => {
  it.each([["en"], ["de"], ["es"]])("has words for each of its types in %s", async (language) => {
    const sentences = await sentencesIn(language);
    expect([...issueTypes, "unknown"].filter((type) => !sentences[`type.${type}`])).toEqual([]);
    const known = new Set([...issueTypes, "unknown"].map((type) => `type.${type}`));
    expect(Object.keys(sentences).filter((name) => name.startsWith("type.") && !known.has(name))).toEqual([]);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ["missing", z.string(), undefined, "Diese Angabe fehlt"],
    ["value_error", Email, "mina", "Das ist keine gültige E-Mail-Adresse"],
    ["string_type", z.string(), 7, "Geben Sie einen Text ein"],
    ["string_too_short", z.string().min(3), "ab", "Mindestens 3 Zeichen"],
    ["string_too_long", z.string().max(20_000), "a".repeat(20_001), "Höchstens 20.000 Zeichen"],
    ["float_type", z.number(), "7", "Geben Sie eine Zahl ein"],
    ["int_type", integer(1), 7.5, "Geben Sie eine ganze Zahl ein"],
    ["greater_than_equal", z.number().min(0.5), 0, "Mindestens 0,5"],
    ["less_than_equal", z.number().max(100), 101, "Höchstens 100"],
    ["greater_than", z.number().gt(0), 0, "Mehr als 0"],
    ["less_than", z.number().lt(1), 1, "Weniger als 1"],
    ["multiple_of", z.number().multipleOf(0.01), 0.001, "Geben Sie ein Vielfaches von 0,01 ein"],
    ["bool_type", z.boolean(), "yes", "Wählen Sie Ja oder Nein"],
    ["list_type", z.array(z.int()), 7, "Geben Sie eine Liste ein"],
    ["too_short", z.array(z.int()).min(1), [], "Mindestens 1 Einträge"],
    ["too_long", z.array(z.int()).max(1), [1, 2], "Höchstens 1 Einträge"],
    ["dict_type", z.object({}), 7, "Geben Sie ein Objekt ein"],
    ["enum", upperEnum(["A", "B", "C"]), "D", "Wählen Sie: A, B oder C"],
    ["enum", upperEnum(["student", "instructor"]), "D", "Wählen Sie: Lernende oder Lehrende"],
    // Names for programs only.
    ["enum", upperEnum(["open", "key"]), "D", "Wählen Sie einen der möglichen Werte"],
  ])("is said in German by its type and its values: %s", (type, schema, value, words) => {
    const issue = issueOf(schema, value);
    expect([issue.type, inGerman(issue)]).toEqual([type, words]);
    // Independent of the service's own wording.
    if (type !== "value_error") expect(inGerman({ ...issue, msg: "Reworded" })).toBe(words);
  });

  it("is said of a service that sends no values with those of its words", () => {
    const { ctx, ...issue } = issueOf(z.string().max(20_000), "a".repeat(20_001));
    expect(ctx).toEqual({ max_length: 20_000 });
    expect(inSpanish(issue)).toBe("Como máximo 20.000 caracteres");
  });

  it("is more specific if a rule has a separate text", () => {
    const blank = { type: "string_too_short", msg: "String should not be blank", ctx: { min_length: 1 } };
    expect([inEnglish(blank), inGerman(blank)]).toEqual(["This cannot be empty", "Das darf nicht leer sein"]);
    const said = { type: "value_error", msg: "Value error, Options should have different ids" };
    expect(inSpanish(said)).toBe("Cada opción necesita su propio ID");
    const early = { type: "value_error", msg: "Date should be 1970-01-01 or later" };
    expect([inGerman(early), inSpanish(early)]).toEqual([
      "Frühestens am 01.01.1970",
      "No antes del 1 ene 1970",
    ]);
  });

  it("has words for each rule of the service's own that its sources state", async () => {
    const folders = ["lib", "schema/api"].map((name) => new URL(`../../../${name}/`, import.meta.url));
    const files = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(folder, { recursive: true }))
          .filter((name) => name.endsWith(".ts"))
          .map((name) => readFile(new URL(name, folder), "utf8")),
      ),
    );
    const sources = (await Promise.all(files.flat())).join("\n");
    const stated = sources.matchAll(
      /["`]((?:Value error, )?(?:(?:Input|Names|Ids) (?=should|comes)|Field required )[^"`\n]*)["`]/g,
    );
    const rules = new Set([...stated].map(([, words = ""]) => words.replaceAll(/\$\{[^}]*\}/g, "7")));
    expect(rules.size).toBeGreaterThan(50);
    const general = [inGerman({ type: "value_error", msg: "" }), inGerman({ type: "moon_phase", msg: "" })];
    const without = [...rules].filter((msg) => general.includes(inGerman({ type: "value_error", msg })));
    expect(without.filter((msg) => !composed.has(msg))).toEqual([]);
  });

  it("names fields as the forms do, also in English", () => {
    const both = { type: "value_error", msg: "Input should not come with external_id" };
    expect([inEnglish(both), inGerman(both)]).toEqual([
      "This cannot be combined with “Id at the university”",
      "Nicht zusammen mit „ID an der Universität“ möglich",
    ]);
    const late = { type: "value_error", msg: "Value error, Input should be after available_from" };
    expect(inEnglish(late)).toBe("This must be after the first day of availability");
    const large = { type: "value_error", msg: "File should have at most 10000 rows" };
    expect([inEnglish(large), inGerman(large), inSpanish(large)]).toEqual([
      "At most 10,000 rows",
      "Höchstens 10.000 Zeilen",
      "Como máximo 10.000 filas",
    ]);
    const column = { type: "value_error", msg: "Column user_id is missing" };
    expect([inEnglish(column), inGerman(column)]).toEqual([column.msg, "Die Spalte user_id fehlt"]);
  });

  it("is general if neither its type nor its message is known", () => {
    expect(inGerman({ type: "moon_phase", msg: "Wait" })).toBe("Dieser Wert wird nicht akzeptiert");
    expect(inSpanish({ type: "value_error", msg: "A rule of tomorrow" })).toBe(
      "Este valor no es válido aquí",
    );
    expect(inSpanish({ type: "less_than_equal", msg: "No value" })).toBe("Este valor no se admite");
  });
});
