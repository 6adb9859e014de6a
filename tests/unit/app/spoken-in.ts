import { readFile } from "node:fs/promises";
import type { ErrorTextsOfLanguage } from "../../../app/src/error-value-labels.ts";

const read = async (group: string, language: string): Promise<Record<string, string>> =>
  JSON.parse(
    await readFile(new URL(`../../../app/texts/${group}/${language}.json`, import.meta.url), "utf8"),
  );

const forPeople = async (group: string): Promise<Record<string, string>> => ({
  ...(await read(group, "en")),
  ...(await read(group, "people")),
});

export async function spokenIn(language: string): Promise<ErrorTextsOfLanguage> {
  const groups = ["refusals", "faults", "values"] as const;
  const [own, english] = await Promise.all(
    [language, "en"].map(async (one) =>
      Object.fromEntries(await Promise.all(groups.map(async (group) => [group, await read(group, one)]))),
    ),
  );
  if (language !== "en") return { ...own, language, english } as ErrorTextsOfLanguage;
  const [refusals, faults] = await Promise.all([forPeople("refusals"), forPeople("faults")]);
  return { ...own, ...{ refusals, faults, language, english } } as ErrorTextsOfLanguage;
}
