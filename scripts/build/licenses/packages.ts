import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** A package that ships, with the text of its licence as it carries it. */
export type Licensed = { name: string; version: string; license: string; text: string };

/** Licences that ask for no more than their text: of any other someone has to think. */
export const permissive: ReadonlySet<string> = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "Unlicense", "BlueOak-1.0.0"],
  ...["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause"],
]);

/** What somebody has thought about: packages that say none of these, and why they may ship all the same. */
export const considered: ReadonlyMap<string, string> = new Map([
  ["@fontsource/noto-sans-math", "a font, which goes with its licence beside it"],
  ["@fontsource/unifontex", "a font, which goes with its licence beside it, and into PDF as any may"],
  ["dejavu-fonts-ttf", "a font, which goes with its licence beside it, and into PDF as any may"],
  ["duck", "its LICENSE has the words of BSD-2-Clause"],
  ["pako", "its LICENSE asks for MIT's text, and zlib's for nothing of a program"],
  ["png-js", "its LICENSE has MIT's words"],
]);

type LockedPackage = {
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  devDependencies?: Record<string, string>;
};

/** A package that ships, and the folder where `npm ci` puts it. */
export type Shipped = { name: string; version: string; folder: string };

/** What the web application needs to be built, and does not carry. */
const builders: ReadonlySet<string> = new Set(["esbuild", "rolldown", "learning-platform-client"]);

/**
 * All packages that ship, by the lock file: those that `npm ci --omit=dev` installs, and those that the web application
 * is bundled of.
 */
export async function shippedPackages(root: string): Promise<Shipped[]> {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile(path.join(root, "package-lock.json"), "utf8"),
  );
  const ofApp = Object.keys(packages["app"]?.devDependencies ?? {}).filter((name) => !builders.has(name));
  const isShipped = ([key, { dev, devOptional, link }]: [string, LockedPackage]) =>
    key.startsWith("node_modules/") &&
    !link &&
    ((!dev && !devOptional) || ofApp.includes(key.slice("node_modules/".length)));
  return Object.entries(packages)
    .filter(isShipped)
    .map(([key, { version }]) => ({
      name: key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length),
      version,
      folder: path.join(root, key),
    }));
}

/** The licences of all that ships and is installed here. */
export async function shippedLicenses(root: string): Promise<Licensed[]> {
  const shipped = await shippedPackages(root);
  const licensed = await Promise.all(shipped.map(({ folder }) => licenseOf(folder)));
  return licensed.filter((one) => one !== undefined);
}

/** Whether somebody has still to think about a licence; of several that a package leaves the choice of, one will do. */
export const isUnconsidered = ({ name, license }: Licensed): boolean =>
  !considered.has(name) && !license.split(/[() ]+OR[() ]+|[()]/).some((one) => permissive.has(one));

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
