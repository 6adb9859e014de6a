import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck, ClientWorkspace } from "./client-check.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { installNpmPackages, runCommandRejectingWarnings } from "./toolchain.ts";

/** The learner's main job with the typed client, as in a frontend. */
const job = `
import { askTutor, createPlatformClient, dataOf, inMemory, PlatformError, type Schemas } from "learning-platform-client";

export async function learn(baseUrl: string, email: string, password: string, code: string): Promise<string> {
  const session = inMemory();
  const client = createPlatformClient({ baseUrl, session });
  session.write(await dataOf(client.login({ body: { email, password } })));
  const courses: Schemas["CourseSummary"][] = await dataOf(client.listCourses({ params: { query: { limit: 20 } } }));
  const course_id = courses.find((course) => course.code === code)?.id ?? 0;
  const [offering] = await dataOf(client.listCourseOfferings({ params: { path: { course_id } } }));
  const offering_id = offering?.id ?? 0;
  const enrollment = await dataOf(client.createEnrollment({ body: { course_offering_id: offering_id } }));
  const outline = await dataOf(client.getCourseOfferingOutline({ params: { path: { course_id, offering_id } } }));
  const content_item_id = outline.modules.flatMap((module) => module.items)[0]?.id ?? 0;
  const { id: sessionId } = await dataOf(client.createChatSession({ body: { content_item_id } }));
  let words = 0;
  let question: string | undefined;
  let ended = false;
  for await (const event of askTutor(client, { sessionId, content: "Start." })) {
    if ("restart" in event) words = 0;
    words += event.content.length;
    if ("message_id" in event) ended = true;
    if ("question" in event) question = event.question?.questionId;
  }
  const body = { content_item_id, course_offering_id: offering_id, progress_percent: 50 };
  const { progress_percent: progress } = await dataOf(client.recordContentProgress({ body }));
  const missing = await dataOf(client.getCourse({ params: { path: { course_id: 2147483647 } } })).catch(
    (error: unknown) => (error instanceof PlatformError ? error.detail : String(error)),
  );
  const facts = { courses: courses.length, enrollment: "offer" in enrollment ? "OFFERED" : enrollment.status, words, ended, question, progress };
  return JSON.stringify({ ...facts, missing });
}
`;

/** Options stricter than a new project's defaults. */
const stricter = [
  "--strict",
  "--exactOptionalPropertyTypes",
  "--noUncheckedIndexedAccess",
  "--verbatimModuleSyntax",
];

const quietly = ["--silent", "--no-audit", "--no-fund"];

/** Packs the client as for publishing, and installs it. */
async function installClient(workspace: ClientWorkspace, project: string): Promise<void> {
  const client = path.resolve(import.meta.dirname, "../../client");
  await runCommandRejectingWarnings(
    client,
    "npm",
    "pack",
    "--silent",
    "--pack-destination",
    workspace.folder,
  );
  const { version } = JSON.parse(await readFile(path.join(client, "package.json"), "utf8"));
  const packed = path.join(workspace.folder, `learning-platform-client-${version}.tgz`);
  await installNpmPackages(project, packed);
}

export const viteProjectCheck: ClientCheck = {
  name: "Vite",
  tools: ["npm"],
  async make(workspace) {
    await runCommandRejectingWarnings(
      workspace.folder,
      "npm",
      "create",
      "--yes",
      "vite@9",
      "project",
      "--",
      "--template",
      "vanilla-ts",
    );
    const project = path.join(workspace.folder, "project");
    await installClient(workspace, project);
    await writeFile(path.join(project, "src/learn.ts"), job);
    const main =
      'import { learn } from "./learn";\n\nvoid learn(location.origin, "", "", "").then(console.log);\n';
    await writeFile(path.join(project, "src/main.ts"), main);
    await runCommandRejectingWarnings(project, "npx", "tsc", "--noEmit", ...stricter);
    await runCommandRejectingWarnings(project, "npx", "vite", "build");
  },
};

export const nextProjectCheck: ClientCheck = {
  name: "Next",
  tools: ["npm"],
  async make(workspace) {
    const choices = ["--ts", "--app", "--no-eslint", "--no-tailwind", "--no-src-dir", "--use-npm", "--yes"];
    await runCommandRejectingWarnings(
      workspace.folder,
      "npx",
      "--yes",
      "create-next-app@16",
      "project",
      ...choices,
      "--disable-git",
    );
    const project = path.join(workspace.folder, "project");
    await installClient(workspace, project);
    await writeFile(path.join(project, "learn.ts"), job);
    // The template's layout fetches fonts, which fails offline.
    await writeFile(
      path.join(project, "app/layout.tsx"),
      "export default function Layout({ children }: { children: React.ReactNode }) {\n" +
        '  return <html lang="en"><body>{children}</body></html>;\n}\n',
    );
    await writeFile(
      path.join(project, "app/page.tsx"),
      '"use client";\n\nimport { learn } from "../learn";\n\n' +
        'export default function Page() {\n  return <button onClick={() => learn(location.origin, "", "", "")}>Learn</button>;\n}\n',
    );
    await runCommandRejectingWarnings(project, "npx", "next", "build");
    await runCommandRejectingWarnings(project, "npx", "tsc", "--noEmit", ...stricter);
  },
};

export const nodeProjectCheck: ClientCheck = {
  name: "Node",
  tools: ["npm"],
  async make(workspace) {
    const { folder } = workspace;
    await writeFile(path.join(folder, "package.json"), '{ "type": "module", "private": true }');
    await runCommandRejectingWarnings(
      folder,
      "npm",
      "install",
      ...quietly,
      "typescript@5",
      "@types/node@24",
      "@tsconfig/node24",
    );
    await installClient(workspace, folder);
    const settings = { extends: "@tsconfig/node24/tsconfig.json", files: ["main.ts", "learn.ts"] };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    await writeFile(path.join(folder, "learn.ts"), job);
    await writeFile(
      path.join(folder, "main.ts"),
      'import { learn } from "./learn.js";\n\nconst [base = "", email = "", password = "", code = ""] = process.argv.slice(2);\n' +
        "console.log(await learn(base, email, password, code));\n",
    );
    await runCommandRejectingWarnings(folder, "npx", "tsc", ...stricter);
    expectLearnerScenarioOutput(
      await runCommandRejectingWarnings(
        folder,
        process.execPath,
        "main.js",
        ...learnerScenarioArguments(workspace.assignment),
      ),
    );
  },
};
