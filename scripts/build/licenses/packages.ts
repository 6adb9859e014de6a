import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type Licensed = { name: string; version: string; license: string; text: string };

/** Permissive licenses. Any other needs a review. */
export const permissive: ReadonlySet<string> = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "Unlicense", "BlueOak-1.0.0"],
  ...["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause"],
]);

/** Reviewed packages with other licenses, and the reason why they may ship. */
export const considered: ReadonlyMap<string, string> = new Map([
  ["@fontsource/noto-sans-math", "a font, shipped with its license"],
  ["@fontsource/unifontex", "a font, shipped with its license; embedding in PDF is allowed"],
  ["dejavu-fonts-ttf", "a font, shipped with its license; embedding in PDF is allowed"],
  ["duck", "its LICENSE is BSD-2-Clause"],
  ["pako", "its LICENSE requires MIT's text; zlib's license requires nothing of a program"],
  ["png-js", "its LICENSE is MIT"],
]);

type LockedPackage = {
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  devDependencies?: Record<string, string>;
};

export type Shipped = { name: string; version: string; folder: string };

/** Needed to build the web application, but not part of it. */
const builders: ReadonlySet<string> = new Set(["esbuild", "rolldown", "learning-platform-client"]);

/**
 * All shipped packages by the lock file: the ones of `npm ci --omit=dev`, and the ones bundled into the web
 * application.
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

export async function shippedLicenses(root: string): Promise<Licensed[]> {
  const shipped = await shippedPackages(root);
  const licensed = await Promise.all(shipped.map(({ folder }) => licenseOf(folder)));
  return licensed.filter((one) => one !== undefined);
}

/** True if a license needs a review. One permissive alternative is enough. */
export const isUnconsidered = ({ name, license }: Licensed): boolean =>
  !considered.has(name) && !license.split(/[() ]+OR[() ]+|[()]/).some((one) => permissive.has(one));

/** A package's license; undefined if it is for another platform and not installed. */
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

/** All licenses in one text. Packages with the same text share it: Apache's has eleven thousand characters. */
export function noticeOf(packages: readonly Licensed[]): string {
  const byText = Map.groupBy(packages, ({ license, text }) => text || `Licensed under ${license}.`);
  const parts = [...byText].map(([text, some]) => {
    const names = some.map(({ name, version, license }) => `${name} ${version} (${license})`).toSorted();
    return `${[...new Set(names)].join("\n")}\n\n${text}\n`;
  });
  return parts.toSorted().join(`\n${"-".repeat(80)}\n\n`);
}
