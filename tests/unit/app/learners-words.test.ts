import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errorMessageTemplates } from "../../../lib/error-codes.ts";

const root = new URL("../../../", import.meta.url);
const jsonIn = async (path: string) => JSON.parse(await readFile(new URL(path, root), "utf8"));

const languages = ["en", "de", "es"];

/** Internal terms in any form, in English, German or Spanish. */
const engine =
  /(?<![\p{L}\d])(cach\p{L}*|caché\p{L}*|zwischenspeicher\p{L}*|nodes?|knoten|nodos?|tokens?|prompts?|llms?|(sprach)?modells?|modelos?|models?|generations?|generaci\p{L}+|generierung\p{L}*|fingerprints?|fingerabdr\p{L}+|huellas?|sse|embeddings?|hash\p{L}*|cursors?|chunks?|payloads?|rollouts?|endpoints?|backends?)(?![\p{L}\d])/iu;

/** Folders of screens for staff only. */
const ofStaff = [
  ...["administration", "authoring", "feature-requests", "grading", "lti", "prompts", "reports", "teaching"],
];

/** Texts on learners' screens shown only to people who also teach. */
const toldToStaff = ["nav.prompts", "prompts", "preference.rollout_stopped", "notification.rollout_stopped"];

/** The source of all learner screens. */
async function learnersSource(): Promise<string> {
  const folder = new URL("app/src/", root);
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !ofStaff.some((one) => name.startsWith(`${one}/`)),
  );
  expect(names.length).toBeGreaterThan(150);
  return (await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")))).join("\n");
}

/** Texts by name that this source uses, including computed names. */
function saidIn(source: string, texts: Record<string, string>): [string, string][] {
  const beginnings = new Set([...source.matchAll(/`([\w.]+\.)\$\{/g)].map(([, beginning = ""]) => beginning));
  const isSaid = (name: string) =>
    source.includes(`"${name}"`) || [...beginnings].some((one) => name.startsWith(one));
  return Object.entries(texts).filter(([name]) => isSaid(name));
}

/** Texts that use internal terms, ignoring values. */
const telling = (texts: Iterable<[string, string]>): string[] =>
  [...texts]
    .filter(([, text]) => engine.test(text.replaceAll(/\{\w+(?=[:}])/g, "{")))
    .map(([name, text]) => `${name}: ${text}`);

describe("internal terms", () => {
  it.each(languages)("are in no text for learners and screen readers, in %s", async (language) => {
    const source = await learnersSource();
    for (const group of ["", "later/"]) {
      const said = saidIn(source, await jsonIn(`app/texts/${group}${language}.json`));
      expect(said.length).toBeGreaterThan(100);
      expect(telling(said.filter(([name]) => !toldToStaff.includes(name)))).toEqual([]);
    }
  });

  it.each(languages)("nor in the service's errors for them, in %s", async (language) => {
    const words: Record<string, string> =
      language === "en" ? errorMessageTemplates : await jsonIn(`app/texts/refusals/${language}.json`);
    const { paths } = await jsonIn("docs/reference/openapi.json");
    const operations = Object.values<Record<string, { operationId?: string; description?: string }>>(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ description = "Requires the role" }) => !description.includes("Requires the role"));
    expect(operations.length).toBeGreaterThan(150);
    const codes = new Set(
      operations.flatMap(({ description = "" }) =>
        [...description.matchAll(/^- \d+ `(\w+)`/gm)].map(([, code = ""]) => code),
      ),
    );
    expect(codes.size).toBeGreaterThan(100);
    // Only in conversations that test a prompt version.
    codes.delete("prompt_version_not_found");
    expect(telling([...codes].map((code): [string, string] => [code, words[code] ?? ""]))).toEqual([]);
  });

  it.each(languages)("nor in mail to them, in %s", async (language) => {
    const mails: [string, string][] = Object.entries(
      await jsonIn(`lib/platform/mail/words/${language}.json`),
    );
    const ofPrompts = /^news\.(prompt|rollout_stopped)/;
    expect(telling(mails.filter(([name]) => !ofPrompts.test(name)))).toEqual([]);
  });
});
