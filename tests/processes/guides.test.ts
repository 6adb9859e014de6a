import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packClient } from "../../client/build.ts";
import { hashPassword } from "../../lib/identity/auth/password-hashes.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { demoPassword } from "../../scripts/dev/seed/accounts.ts";
import { insertDemonstration } from "../../scripts/dev/seed/insert.ts";
import { type HttpServer, startServer } from "../../server/http-server.ts";
import { folderWithCurl } from "../support/curl.ts";
import { installClient } from "../support/installed-client.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { openWorld } from "../support/world.ts";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");
const guidesFolder = path.join(root, "docs/guides");
const guides = (await readdir(guidesFolder)).filter((name) => name.endsWith(".md"));
const tutor = await startPracticeTutor({ pauseMs: 0 });

/** A guide's command with the output shown below it. */
type Step = { language: string; command: string; shown?: { language: string; text: string } | undefined };

/** A guide's commands: blocks of `sh` and `js`, each with an optional block of `json` or `text` as output. */
function stepsOf(guide: string): Step[] {
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== "sh" && language !== "js") return [];
    const next = blocks[at + 1];
    const shown = next && ["json", "text"].includes(next.language) ? next : undefined;
    return [{ language, command: text, shown }];
  });
}

const mark = (at: number) => `@@ step ${at} @@`;

/** Each step's output, without the markers. */
const printedBy = (output: string): string[] => output.split(/@@ step \d+ @@\n/).slice(1);

/** An ellipsis matches any text; the rest must be equal. */
const textLike = (shown: string): RegExp =>
  new RegExp(`^${shown.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", "[^]*")}$`);

/** Ids match any number, and objects may have further fields. */
function like(shown: unknown, name = ""): unknown {
  if (typeof shown === "number" && /(^|_)id$/.test(name)) return expect.any(Number);
  if (typeof shown === "string" && shown.includes("…")) return expect.stringMatching(textLike(shown));
  if (Array.isArray(shown)) return shown.map((one) => like(one));
  if (typeof shown !== "object" || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, like(value, key)]));
}

describe.each(guides)("the guide %s", (name) => {
  const world = openWorld({
    DIRECT_API_BASE_URL: tutor.url,
    LLM_PRICES: JSON.stringify({ "model-of-the-tests": { input: 3, output: 15 } }),
  });
  let server: HttpServer;
  let folder: string;
  let guide: string;

  beforeAll(async () => {
    guide = await readFile(path.join(guidesFolder, name), "utf8");
    const { db, now } = world.deps;
    await insertDemonstration(db, await hashPassword(demoPassword, 4), now());
    server = await startServer({ deps: world.deps, port: 0 });
    folder = await mkdtemp(path.join(scratchFolder, "learning-platform-guide-"));
    if (!guide.includes('from "learning-platform-client"')) return;
    await packClient(path.join(folder, "client.tgz"));
    await installClient(folder, path.join(folder, "client.tgz"));
  });
  afterAll(async () => {
    await server?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs these steps as one program. */
  async function follow(language: string, steps: readonly Step[]): Promise<string[]> {
    const print =
      language === "sh"
        ? (text: string) => `\necho '${text}'\n`
        : (text: string) => `\nconsole.log('${text}');\n`;
    const program = steps.map(({ command }, at) => print(mark(at)) + command).join("");
    const here = program.replaceAll("http://localhost:3000", server.url);
    const folders = [path.dirname(process.execPath), process.env["PATH"], await folderWithCurl(folder)];
    const env = { PATH: folders.join(path.delimiter) };
    const { stdout } =
      language === "sh"
        ? await run("sh", ["-u", "-c", here], { cwd: folder, env })
        : await run(process.execPath, ["--input-type=module", "--eval", here], { cwd: folder, env });
    return printedBy(stdout);
  }

  it.each(["sh", "js"])("shows the responses of its commands in %s", async (language) => {
    const steps = stepsOf(guide).filter((step) => step.language === language);
    if (language === "sh") expect(steps.length).toBeGreaterThan(5);
    const printed = steps.length > 0 ? await follow(language, steps) : [];
    expect(printed).toHaveLength(steps.length);
    for (const [at, { command, shown }] of steps.entries()) {
      const answer = printed[at]?.trim() ?? "";
      if (shown?.language === "json")
        expect(JSON.parse(answer), `${command}\n${answer}`).toMatchObject(
          like(JSON.parse(shown.text)) as object,
        );
      if (shown?.language === "text") expect(answer, command).toMatch(textLike(shown.text.trim()));
    }
  });

  it("is linked from the README", async () => {
    expect(await readFile(path.join(root, "README.md"), "utf8")).toContain(`](docs/guides/${name})`);
  });
});

afterAll(() => tutor.close());
