import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** A package that ships, with the text of its licence as it carries it. */
export type Licensed = { name: string; version: string; license: string; text: string };

/** Licences that ask for no more than their text: of any other someone has to think. */
export const permissive: ReadonlySet<string> = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "Unlicense", "BlueOak-1.0.0"],
  ...["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause"],
]);

type LockedPackage = { dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean };

/** The folders of all packages that `npm ci --omit=dev` installs here, by the lock file. */
export async function shippedFolders(root: string): Promise<string[]> {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile(path.join(root, "package-lock.json"), "utf8"),
  );
  const shipped = Object.entries(lock.packages).filter(
    ([place, { dev, devOptional, link }]) =>
      place.startsWith("node_modules/") && !dev && !devOptional && !link,
  );
  return shipped.map(([place]) => path.join(root, place));
}

/** What a package says of its licence; undefined for one of another platform, which is not installed. */
export async function licenseOf(folder: string): Promise<Licensed | undefined> {
  const manifest = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
  if (manifest === undefined) return undefined;
  const { name, version, license } = JSON.parse(manifest);
  const said = typeof license === "string" ? license : (license?.type ?? "none");
  return { name, version, license: said, text: await textOf(folder) };
}

async function textOf(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((entry) =>
    /^(licen[cs]e|copying)(\.(md|txt|mit))?$/i.test(entry),
  );
  return file ? (await readFile(path.join(folder, file), "utf8")).trim() : "";
}

/** All in one text. Those that have the same words stand together, since Apache's alone are eleven thousand letters. */
export function noticeOf(packages: readonly Licensed[]): string {
  const byText = Map.groupBy(packages, ({ license, text }) => text || `Licensed under ${license}.`);
  const parts = [...byText].map(([text, some]) => {
    const names = some.map(({ name, version, license }) => `${name} ${version} (${license})`).toSorted();
    return `${[...new Set(names)].join("\n")}\n\n${text}\n`;
  });
  return parts.toSorted().join(`\n${"-".repeat(80)}\n\n`);
}
