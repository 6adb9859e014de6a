import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { installClient } from "../../support/installed-client.ts";
import { makersOf } from "../../support/makers.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { openWorld } from "../../support/world.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const require = createRequire(import.meta.url);
const compiler = path.join(path.dirname(require.resolve("typescript/package.json")), "bin/tsc");
const world = openWorld();
const make = makersOf(world);
let folder: string;
/** The name of the packed file. */
let packed: string;
let server: HttpServer;

/** The learner's main use, as a frontend would write it. */
const program = `
import { askTutor, choiceOf, createPlatformClient, dataOf, inMemory, PlatformError, type Schemas } from "learning-platform-client";

const [baseUrl = "", item = ""] = (globalThis as { args?: string[] }).args ?? [];
const session = inMemory();
const client = createPlatformClient({ baseUrl, session });
const body = { email: "ada@example.edu", password: "a password", full_name: "Ada" };
session.write(await dataOf(client.register({ body })));
const me = await dataOf(client.getMe({}));
const opened: Schemas["ChatSession"] = await dataOf(client.createChatSession({ body: { content_item_id: Number(item) } }));
let heard = "";
let choice: string | undefined;
for await (const event of askTutor(client, { sessionId: opened.id, content: "Start." })) {
  if ("restart" in event) heard = "";
  heard += event.content;
  if ("question" in event && event.question?.options[0]) choice = choiceOf(event.question, event.question.options[0].id);
}
const missing: unknown = await dataOf(client.getCourse({ params: { path: { course_id: 2147483647 } } })).catch(
  (error: unknown) => (error instanceof PlatformError ? error.detail : error),
);
console.log(JSON.stringify({ me: me.full_name, heard, choice, missing }));
`;

/** Declarations that the README's examples assume. */
const given = `
declare const email: string, password: string;
declare function clear(): void;
declare function show(text: string): void;
declare function ask(options: { id: string; text: string }[]): void;
`;

/** The examples as one program. */
async function examples(): Promise<string> {
  const readme = await readFile(path.join(root, "client/README.md"), "utf8");
  return given + [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example]) => example).join("");
}

/** At least as strict as a new project of Vite, Next and Node. */
const strictest = {
  ...{
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    isolatedModules: true,
  },
  ...{ noPropertyAccessFromIndexSignature: true, verbatimModuleSyntax: true, skipLibCheck: false, types: [] },
  ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"] },
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-client-"));
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: path.join(root, "client"),
  });
  packed = stdout.trim().split("\n").at(-1) ?? "";
  await installClient(folder, path.join(folder, packed));
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(path.join(folder, "main.ts"), program);
  await writeFile(path.join(folder, "readme.ts"), await examples());
  server = await startServer({ deps: world.deps, port: 0 });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ["Vite's and Next's", { module: "esnext", moduleResolution: "bundler", noEmit: true }],
  ["Node's", { module: "nodenext", moduleResolution: "nodenext", outDir: "built" }],
])(
  "compiles in a project with %s way of finding packages, under strict settings, as do the examples of its README",
  async (_, options) => {
    const settings = { compilerOptions: { ...strictest, ...options }, files: ["main.ts", "readme.ts"] };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    const compiled = await run(process.execPath, [compiler, "--project", folder]).catch(({ stdout }) => ({
      stdout,
    }));
    expect(compiled.stdout).toBe("");
  },
);

it("is also served by each deployment, with the same files", async () => {
  const served = await fetch(`${server.url}/client.tgz`);
  expect([served.status, served.headers.get("Content-Type")]).toEqual([200, "application/gzip"]);
  await writeFile(path.join(folder, "served.tgz"), new Uint8Array(await served.arrayBuffer()));
  const listed = async (name: string) =>
    (await run("tar", ["-tzf", path.join(folder, name)])).stdout.trim().split("\n");
  expect((await listed("served.tgz")).sort()).toEqual((await listed(packed)).sort());
});

it("does a learner's main job on Node, without this repository", async () => {
  const { item } = await make.topic();
  const question = {
    questionId: "q1",
    question: "?",
    options: [
      { id: "A", text: "Yes" },
      { id: "B", text: "No" },
    ],
  };
  world.llm.script({ chunks: ["Welcome.", `\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``] });
  const start = `globalThis.args = ${JSON.stringify([server.url, String(item.id)])}; await import("./built/main.js");`;
  const done = await run(process.execPath, ["--input-type=module", "--eval", start], { cwd: folder });
  expect(JSON.parse(done.stdout)).toEqual({
    me: "Ada",
    heard: expect.stringMatching(/^Welcome\./),
    choice: '{"questionId":"q1","answer":"A"}',
    missing: "Course not found",
  });
});
