import { describe, expect, it } from "vitest";
import { refusalInWords, type Spoken } from "../../../app/src/value-words.ts";
import { type ErrorCode, resources, wordsOf } from "../../../lib/error-codes.ts";
import { atField } from "../../../lib/errors.ts";
import * as enums from "../../../schema/enums.ts";
import { everyErrorCode } from "../../../scripts/build/every-error-code.ts";
import { spokenIn } from "./spoken-in.ts";

const languages: Record<string, Spoken> = Object.fromEntries(
  await Promise.all(
    ["en", "de", "es"].map(async (language) => [language, await spokenIn(language)] as const),
  ),
);
const inLanguage = (language: string, code: string, said: string) =>
  refusalInWords(code, said, languages[language] as Spoken);

/** Fields that a constraint of the database, or what an operation looks up, may refuse. */
const fields = [
  ...[
    "answer_post_id",
    "asset_id",
    "client_id",
    "client_message_id",
    "code",
    "content_ids",
    "content_item_id",
  ],
  ...["content_item_ids", "content_type_id", "country_id", "course_id", "course_offering_id", "deck_id"],
  ...["department_id", "deployment_id", "domain", "domain_id", "email", "external_id", "file_id", "group_id"],
  ...[
    "iso_code",
    "kind",
    "label",
    "message_id",
    "message_ids",
    "module_id",
    "module_ids",
    "module_template_id",
  ],
  ...["name", "parent_module_id", "parent_post_id", "parent_subject_id", "prerequisite_course_id"],
  ...["primary_subject_id", "prompt_name", "question_id", "question_pool_id", "reason", "short_code"],
  ...["subject_id", "submission_id", "term_id", "title", "university_id", "user_id", "version"],
];

const bounds = "should have at most 2000 entries";
const xml = "It is not well-formed XML, line 3: Unclosed tag";

/** What stands where the words of a code have a value: each of what it may be, where that is not what people or files call it. */
const values: Record<string, readonly string[]> = {
  thing: [
    ...fields.map((field) => atField("Module", field, "12").thing),
    ...resources,
    "Course offering",
    "File 12",
  ],
  resource: [...resources, "Course offering instructor"],
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
    "Not enough permissions. St. John's asks for a sign-in by its own identity provider, Shibboleth",
    "St. John's has suspended you. Acme asks for a sign-in by its own identity provider",
  ],
  oldest: ["", "; the oldest that is kept is 12-1"],
  dependents: ["tutor (version 3), tutor-quiz (version 1)"],
  moment: ["2026-11-27T03:55:03Z"],
};

/** Each thing that a code may say; a value of no list is a number, or a name that someone gave. */
function saidBy(code: string, words: string): string[] {
  const names = [...words.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const most = Math.max(1, ...names.map((name) => values[name]?.length ?? 1));
  return Array.from({ length: most }, (_, at) => {
    const given = names.map((name) => [name, values[name]?.[at % (values[name]?.length ?? 1)] ?? "7"]);
    return names.length === 0 ? words : wordsOf(code as ErrorCode, Object.fromEntries(given));
  });
}

/** The service's names of values, in the spelling of the wire; what people write so, too, is none of them. */
const spelled = new Set(["CSV", "PDF", "SAML", "SCIM"]);
const english = Object.values(enums)
  .filter((list): list is never => Array.isArray(list))
  .flatMap((list: readonly string[]) => list)
  .flatMap((value) => (value.includes("_") ? [value, value.toUpperCase()] : [value.toUpperCase()]))
  .filter((value) => value.length > 2 && !spelled.has(value));

/** A file's columns and its values are named as it has them, and settings as the operator does. */
const literal = /^row_/;
const settings = /\b(JUDGE_MODEL|LLM_PRICES)\b/g;
const snakeCase = /[a-z]+_[a-z]+|config\./;

describe("what the service refuses", () => {
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
      "Die Rolle „Tutorin oder Tutor“ hat schon E-Mail „mina@example.edu“",
    ],
    [
      "certificate_not_valid",
      "Certificate was expired, and is signed no more",
      "Das Zertifikat gilt nicht mehr (abgelaufen) und wird nicht mehr signiert",
    ],
    [
      "package_unreadable",
      `The package ${bounds}`,
      "Das Paket lässt sich nicht lesen: Höchstens 2.000 Einträge",
    ],
    [
      "own_provider_required",
      "Not enough permissions. St. John's has suspended you",
      "Dazu fehlt Ihnen die Berechtigung. St. John's hat Sie gesperrt",
    ],
    [
      "api_key_without_scope",
      "This API key does not have the scope grades:read",
      "Diesem API-Schlüssel fehlt das Recht: Notenbücher und Zertifikate lesen",
    ],
    ["row_value_missing", "full_name, a_b or c is missing", "full_name, a_b or c fehlt"],
  ])("says %s with its values in German", (code, said, words) => {
    expect(inLanguage("de", code, said)).toBe(words);
  });

  it("says in English what the service says, with the labels of fields", () => {
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
  });

  it("has a name for each thing that may not be there", () => {
    for (const { values: words } of Object.values(languages))
      expect(resources.filter((name) => !words[`thing.${name}`])).toEqual([]);
  });
});
