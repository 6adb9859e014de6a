import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { type ErrorTextsOfLanguage, translateErrorByCode } from "../../../app/src/error-value-labels.ts";
import { type ErrorCode, formatErrorMessage, resourceNames } from "../../../lib/error-codes.ts";
import { fieldValueMessagePlaceholders } from "../../../lib/errors.ts";
import * as enums from "../../../schema/enums.ts";
import { everyErrorCode } from "../../../scripts/build/every-error-code.ts";
import { spokenIn } from "./spoken-in.ts";

const languages: Record<string, ErrorTextsOfLanguage> = Object.fromEntries(
  await Promise.all(
    ["en", "de", "es"].map(async (language) => [language, await spokenIn(language)] as const),
  ),
);
const inLanguage = (language: string, code: string, said: string) =>
  translateErrorByCode(code, said, languages[language] as ErrorTextsOfLanguage);

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

/** Fields that lookups may reject, from the sources. */
const lookedUp = globSync("lib/**/*.ts", { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(/fieldValueMessagePlaceholders\([^,()]+,\s*"([a-z_.]+)"/g)].map(
    ([, field = ""]) => field,
  ),
);

/** Request fields that a database constraint may reject: the last of a key, the first of a reference. */
const files = await Promise.all(
  globSync("schema/db/*/*.ts", { cwd: root }).map((file) => import(path.join(root, file))),
);
const constrained = files
  .flatMap((file) => Object.values(file))
  .filter((value) => is(value, PgTable))
  .flatMap((table) => {
    const { indexes, primaryKeys, foreignKeys } = getTableConfig(table);
    const unique = indexes.filter(({ config }) => config.unique).map(({ config }) => config.columns.at(-1));
    const columns = [
      ...unique,
      ...primaryKeys.map((key) => key.columns.at(-1)),
      ...foreignKeys.map((key) => key.reference().columns[0]),
    ];
    return columns.flatMap((column) => (column && "name" in column ? [String(column.name)] : []));
  });
const { schemas } = JSON.parse(read("docs/reference/openapi.json")).components;
const written = new Set(
  Object.entries<{ properties?: object }>(schemas).flatMap(([name, { properties = {} }]) =>
    /(Create|Update|Grant|Copy)$/.test(name) ? Object.keys(properties) : [],
  ),
);
const fields = [...new Set([...lookedUp, ...constrained.filter((name) => written.has(name))])];

const bounds = "should have at most 2000 entries";
const xml = "It is not well-formed XML, line 3: Unclosed tag";

/** Possible values in a code's text, unless people or files use them literally. */
const values: Record<string, readonly string[]> = {
  thing: [
    ...fields.map((field) => fieldValueMessagePlaceholders("Module", field, "12").thing),
    ...resourceNames,
    "Course offering",
    "File 12",
  ],
  resource: [...resourceNames, "Course offering instructor"],
  rule: ["modules_depth_limit"],
  field: ["config.model", "llm_model", "prompt_name"],
  person: ["user_id '7'", "external_id 'S-7'", "email 'mina@example.edu'"],
  role: [...enums.roles, ...enums.roles.map((role) => role.toUpperCase())],
  right: enums.officeRights,
  scope: enums.apiKeyScopes,
  purpose: enums.filePurposes.map((purpose) => purpose.toUpperCase()),
  state: ["expired", "revoked", "replaced"],
  reason: ["access_denied", "login_required", "temporarily_unavailable", "error"],
  course: ["another course"],
  now: ["nothing"],
  fault: [
    bounds,
    xml,
    `It ${bounds}`,
    "another shape",
    "Prompt reference closes a cycle: a -> b",
    "Trouble of a library",
  ],
  why: ["The file was refused", "Trouble of a library"],
  reasons: [
    "Not enough permissions. St. John's requires a sign-in with its own identity provider, Shibboleth",
    "St. John's has suspended you. Acme requires a sign-in with its own identity provider",
  ],
  oldest: ["", "; the oldest stored one is 12-1"],
  dependents: ["tutor (version 3), tutor-quiz (version 1)"],
  moment: ["2026-11-27T03:55:03Z"],
};

/** All texts of a code. A value without a list is a number or a user's name. */
function saidBy(code: string, words: string): string[] {
  const names = [...words.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const most = Math.max(1, ...names.map((name) => values[name]?.length ?? 1));
  return Array.from({ length: most }, (_, at) => {
    const given = names.map((name) => [name, values[name]?.[at % (values[name]?.length ?? 1)] ?? "7"]);
    return names.length === 0 ? words : formatErrorMessage(code as ErrorCode, Object.fromEntries(given));
  });
}

/** Enum values as spelled in the API, except those that are also plain words. */
const spelled = new Set(["CSV", "PDF", "SAML", "SCIM", "SCORM"]);
const english = Object.values(enums)
  .filter((list): list is never => Array.isArray(list))
  .flatMap((list: readonly string[]) => list)
  .flatMap((value) => (value.includes("_") ? [value, value.toUpperCase()] : [value.toUpperCase()]))
  .filter((value) => value.length > 2 && !spelled.has(value) && !/^[\d.]+$/.test(value));

/** Columns and values have their literal names in files, and settings in configuration. */
const literal = /^row_/;
const settings = /\b(JUDGE_MODEL|LLM_PRICES)\b/g;
const snakeCase = /[a-z]+_[a-z]+|config\./;

describe("the service's errors", () => {
  it.each(["de", "es"])("says no field, role, kind or state by its name on the wire in %s", (language) => {
    expect(english.length).toBeGreaterThan(150);
    const names = new RegExp(`(?<![\\w-])(${english.join("|")})(?![\\w-])`);
    const found = everyErrorCode.flatMap(({ code, words }) =>
      literal.test(code)
        ? []
        : saidBy(code, words)
            .map((said) => inLanguage(language, code, said).replaceAll(settings, ""))
            .filter((said) => snakeCase.test(said) || names.test(said) || /\{\w+\}/.test(said)),
    );
    expect(found).toEqual([]);
  });

  it.each(["de", "es"])("name no other field by its API name, and no value, in %s", (language) => {
    const names = new RegExp(`(?<![\\w-])(${english.join("|")})(?![\\w-])`);
    const faults = Object.entries(languages[language]?.faults ?? {});
    expect(faults.length).toBeGreaterThan(100);
    // Columns keep their names from the file.
    const found = faults.filter(
      ([rule, words]) =>
        rule !== "fault.column.person" && /[a-z]_[a-z]|`/.test(words.replaceAll(/\{\w+\}/g, "")),
    );
    expect([...found, ...faults.filter(([, words]) => names.test(words))]).toEqual([]);
  });

  it("says no field of a form by its name on the wire in English either", () => {
    const found = everyErrorCode.flatMap(({ code, words }) =>
      literal.test(code) || words.includes("{fault}")
        ? []
        : [inLanguage("en", code, saidBy(code, words)[0] ?? "")],
    );
    expect(found.filter((said) => snakeCase.test(said))).toEqual([]);
  });

  it.each([
    ["already_taken", "Course code 'PHY101' is already taken", "Kürzel „PHY101“ ist schon vergeben"],
    ["does_not_exist", "File 12 does not exist", "Datei 12 gibt es nicht"],
    ["has_enrollments", "Course has enrollments", "Kurs hat Einschreibungen"],
    [
      "role_held",
      "Role 'TA' is already held by email 'mina@example.edu'",
      "E-Mail „mina@example.edu“ hat die Rolle „Lehrassistenz“ bereits",
    ],
    [
      "certificate_not_valid",
      "The certificate is expired and is no longer signed",
      "Das Zertifikat ist abgelaufen und wird nicht mehr signiert",
    ],
    [
      "package_unreadable",
      `q.zip cannot be read: ${bounds}`,
      "q.zip ist nicht lesbar: Höchstens 2.000 Einträge",
    ],
    [
      "own_provider_required",
      "Not enough permissions. St. John's has suspended you",
      "Ihnen fehlt die Berechtigung. St. John's hat Sie gesperrt",
    ],
    [
      "api_key_without_scope",
      "This API key does not have the scope grades:read",
      "Diesem API-Schlüssel fehlt die Berechtigung: Notenbücher und Zertifikate lesen",
    ],
    [
      "qti_question_invalid",
      "The item is not a valid question: options: Input should have at least 2 options",
      "Keine gültige Frage: Optionen: Mindestens 2 Optionen",
    ],
    [
      "qti_question_invalid",
      "The item is not a valid question: options.0.text: String should have at most 1000 characters",
      "Keine gültige Frage: Optionen: Höchstens 1.000 Zeichen",
    ],
    [
      "left_out_question_kind",
      "7: matching_question",
      "Frage 7 fehlt. Diese Art wird nicht unterstützt: Zuordnung",
    ],
    ["left_out_element", "script", "Programme"],
    [
      "left_out_file",
      "a.png: The archive has no readable file a.png",
      "Datei a.png: Das Archiv hat keine lesbare Datei a.png",
    ],
    ["row_value_missing", "full_name, a_b or c is missing", "full_name, a_b or c fehlt"],
  ])("says %s with its values in German", (code, said, words) => {
    expect(inLanguage("de", code, said)).toBe(words);
  });

  it("equal the service's in English, with the labels of fields", () => {
    expect(inLanguage("en", "already_taken", "Course code 'PHY101' is already taken")).toBe(
      "Code “PHY101” is already taken",
    );
    expect(
      inLanguage(
        "en",
        "expires_at_out_of_range",
        "expires_at should be in the future, and at most 9 years from now",
      ),
    ).toBe("“Valid to” should be in the future, and at most 9 years from now");
    expect(inLanguage("en", "offering_full", "Offering is full")).toBe("Offering is full");
    expect(inLanguage("en", "still_in_use", "Course offering is still in use")).toBe(
      "Course offering is still in use",
    );
  });

  it("have a label for each field that a lookup or a constraint may reject", () => {
    expect(lookedUp.length).toBeGreaterThan(15);
    expect(fields.length).toBeGreaterThan(30);
    for (const { values: words } of Object.values(languages))
      expect(fields.filter((name) => !words[`field.${name}`])).toEqual([]);
  });

  it("has a name for each thing that may not be there", () => {
    for (const { values: words } of Object.values(languages))
      expect(resourceNames.filter((name) => !words[`thing.${name}`])).toEqual([]);
  });
});
