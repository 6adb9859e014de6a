import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import clientPackageJson from "../../../client/package.json" with { type: "json" };
import packageJson from "../../../package.json" with { type: "json" };

const root = path.resolve(import.meta.dirname, "../../..");
const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), "utf8"));
const lock: { version: string } = readJson("package-lock.json");
const api: { info: { version: string } } = readJson("docs/reference/openapi.json");
const documents = globSync(["*.md", "client/*.md", "docs/**/*.md"], { cwd: root }).filter(
  (file) => file !== "CHANGELOG.md", // It names former files.
);

const textOf = (document: string): string => readFileSync(path.join(root, document), "utf8");

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** The repository's folders, without generated ones. */
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^\.|^(coverage|logs|backups|node_modules)$/.test(entry.name))
  .map(({ name }) => name);

const isMade = (file: string): boolean => /^(app\/built|client\/dist)(\/|$)/.test(file);

/** Paths in backticks, up to a placeholder such as `<noun>`. */
const pathsIn = (text: string): string[] =>
  matches(text, new RegExp(`\`((?:${folders.join("|")})/[^\`\\s]*)\``, "g"))
    .map((file) => file.replace(/[^/]*[<*…{].*$/, ""))
    .filter((file) => !isMade(file));

/** A document's anchors, as GitHub names them. */
const anchorsIn = (text: string): string[] =>
  matches(text.replaceAll(/^```.*?^```$/gms, ""), /^#+ (.+)$/gm).map((words) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(documents)("%s", (document) => {
  const text = textOf(document);

  it("names commands that there are", () => {
    const own = matches(text, /npm run ([\w:-]+)(?! --workspace|[\w:-])/g);
    expect(own.filter((name) => !(name in packageJson.scripts))).toEqual([]);
    const ofTheClient = matches(text, /npm run ([\w:-]+) --workspace client/g);
    expect(ofTheClient.filter((name) => !(name in clientPackageJson.scripts))).toEqual([]);
  });

  it("leads to and names files that there are", () => {
    const links = matches(text, /\]\((?![a-z]+:)([^)#\s]+)/g).map((link) =>
      path.join(path.dirname(document), link),
    );
    const named = matches(
      text,
      /(?<![\w/.])((?:app|client|docs|functions|lib|proof|schema|scripts|server|tests)\/[\w./-]+\.\w+)/g,
    );
    const absent = [...links, ...named, ...pathsIn(text)].filter(
      (file) => !existsSync(path.join(root, file)),
    );
    expect(absent).toEqual([]);
  });

  it("links to existing places of other documents", () => {
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)];
    const absent = links.filter(([, file = "", anchor = ""]) => {
      const target = file === "" ? document : path.join(path.dirname(document), file);
      return !anchorsIn(textOf(target)).includes(anchor);
    });
    expect(absent.map(([link]) => link)).toEqual([]);
  });
});

describe("the README", () => {
  it("has at most 130 lines: the rest has its page in docs", () => {
    expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(130);
  });

  it("leads to each page that is written by hand or generated", () => {
    const pages = globSync("docs/{,reference/}*.md", { cwd: root });
    expect(pages.filter((page) => !textOf("README.md").includes(`](${page})`))).toEqual([]);
  });
});

describe.each(globSync("docs/decisions/*.md", { cwd: root }))("%s", (record) => {
  const text = textOf(record);

  it("has a context, a decision and its consequences, in at most 250 words", () => {
    expect(matches(text, /^## (.+)$/gm)).toEqual(["Context", "Decision", "Consequences"]);
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(250);
  });
});

describe("the page of commands", () => {
  const page = textOf("docs/commands.md");
  const isBefore = (name: string) => name.startsWith("pre") && name.slice(3) in packageJson.scripts;
  const names = Object.keys(packageJson.scripts).filter((name) => !isBefore(name));

  it("names each command of package.json, except npm's pre-scripts", () => {
    const named = matches(page, /npm (?:run )?([\w:-]+)/g);
    expect(names.filter((name) => !named.includes(name))).toEqual([]);
  });

  const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? "";
  const tested = [...section("Which test").matchAll(/^\| (`.+?`) \| (.+) \|$/gm)].flatMap(
    ([, cell = "", by = ""]) => matches(cell, /`([^`]+)`/g).map((command) => ({ command, by })),
  );

  it("names the test of each command and each proof, or the reason why it has none", () => {
    const proofs = matches(section("Prove it"), /^\| (`.*?`) \|/gm).flatMap((cell) =>
      matches(cell, /`([^`]+)`/g),
    );
    const isListed = (command: string) => tested.some((row) => row.command === command);
    expect(proofs.length).toBeGreaterThan(30);
    expect(proofs.filter((command) => !isListed(command))).toEqual([]);
    const isNamed = (name: string) =>
      tested.some(({ command }) => command.replace(/^npm (run )?/, "").split(" ")[0] === name);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
    for (const { command, by } of tested) expect(by, command).toMatch(/^(`[\w./-]+`($|: .)|none: .)/);
  });

  it("has few enough to read: parts of one subject share a command", () => {
    expect(Object.keys(packageJson.scripts).length).toBeLessThanOrEqual(38);
  });
});

describe("the version", () => {
  it("is the same in package.json, its lock, the client, the changelog and the API document", () => {
    const [newest] = matches(textOf("CHANGELOG.md"), /^## (\S+)/gm);
    expect({ newest, lock: lock.version, client: clientPackageJson.version, api: api.info.version }).toEqual({
      newest: packageJson.version,
      lock: packageJson.version,
      client: packageJson.version,
      api: packageJson.version,
    });
  });
});

describe("the drawing of the folders for contributors", () => {
  const [drawing = ""] = matches(textOf("CONTRIBUTING.md"), /^## Where things are\n+```text\n(.*?)^```$/gms);
  let parent = "";
  const drawn = drawing.split("\n").flatMap((line) => {
    const [, indent = "", names = ""] = /^( *)((?:[\w.-]+(?:\/|\.ts,?)(?: |$))+)/.exec(line) ?? [];
    const here = names.split(/[ ,/]+/).filter(Boolean);
    if (indent === "") parent = here[0] ?? "";
    return here.map((name) => (indent === "" ? name : `${parent}/${name}`));
  });

  it("has each of them at the top, and existing folders below it", () => {
    expect(drawn.filter((file) => !file.includes("/")).toSorted()).toEqual(folders.toSorted());
    expect(drawn.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it.each(["schema", "scripts", "proof"])("has each folder of %s", (folder) => {
    const below = readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
      .map(({ name }) => `${folder}/${name}`);
    expect(drawn.filter((file) => file.startsWith(`${folder}/`)).toSorted()).toEqual(below.toSorted());
  });
});
