import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { installNpmPackages, runCommandRejectingWarnings } from "./toolchain.ts";

/** The learner's main job with generated types and a generic client. */
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

type Event = components["schemas"]["TutorEvent"];
const [baseUrl = "", email = "", password = "", code = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
function have<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("nothing was answered");
  return value;
}

const tokens = have((await client.POST("/api/v1/auth/login", { body: { email, password } })).data);
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", "Bearer " + tokens.access_token);
  },
});
const courses = have((await client.GET("/api/v1/courses", { params: { query: { limit: 20 } } })).data);
const course_id = have(courses.find((course) => course.code === code)).id;
const offerings = await client.GET("/api/v1/courses/{course_id}/offerings", { params: { path: { course_id } } });
const offering_id = have(have(offerings.data)[0]).id;
const enrolled = await client.POST("/api/v1/enrollments", { body: { course_offering_id: offering_id } });
const enrollment = have(enrolled.data);
const outline = await client.GET("/api/v1/courses/{course_id}/offerings/{offering_id}/outline", {
  params: { path: { course_id, offering_id } },
});
const content_item_id = have(have(outline.data).modules.flatMap((module) => module.items)[0]).id;

const session = have((await client.POST("/api/v1/chat/sessions", { body: { content_item_id } })).data);
const { data: text } = await client.POST("/api/v1/chat/sessions/{session_id}/messages", {
  params: { path: { session_id: session.id } },
  body: { content: "Start." },
  parseAs: "text",
});
const lines = have(text).split("\\n").filter((line) => line.startsWith("data: "));
const events = lines.map((line): Event => JSON.parse(line.slice(6)));
const end = have(events.at(-1));

const progress = { content_item_id, course_offering_id: offering_id, progress_percent: 50 };
await client.POST("/api/v1/progress/content", { body: progress });
const query = { course_offering_id: offering_id };
const mine = have((await client.GET("/api/v1/progress/content/my-progress", { params: { query } })).data);
const missing = await client.GET("/api/v1/courses/{course_id}", { params: { path: { course_id: 2147483647 } } });

console.log(JSON.stringify({
  courses: courses.length,
  enrollment: "offer" in enrollment ? "OFFERED" : enrollment.status,
  words: events.map(({ content }) => content).join("").length,
  ended: end.done && end.message_id !== undefined,
  question: end.question?.questionId,
  progress: mine.find((one) => one.content_item_id === content_item_id)?.progress_percent,
  missing: missing.error?.detail,
}));
`;

const settings = {
  compilerOptions: {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ verbatimModuleSyntax: true, allowImportingTsExtensions: true, noEmit: true },
    ...{ module: "nodenext", target: "es2024", types: ["node"], skipLibCheck: false },
  },
};

export const typescriptClientCheck: ClientCheck = {
  name: "TypeScript",
  tools: ["npm"],
  async make({ folder, document, assignment }) {
    await writeFile(path.join(folder, "package.json"), '{ "type": "module", "private": true }');
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    await writeFile(path.join(folder, "main.ts"), program);
    const packages = ["openapi-typescript@7", "openapi-fetch@0.17", "typescript@5", "@types/node@24"];
    await installNpmPackages(folder, ...packages);
    await runCommandRejectingWarnings(folder, "npx", "openapi-typescript", document, "--output", "schema.ts");
    await runCommandRejectingWarnings(folder, "npx", "tsc", "--project", ".");
    expectLearnerScenarioOutput(
      await runCommandRejectingWarnings(
        folder,
        process.execPath,
        "main.ts",
        ...learnerScenarioArguments(assignment),
      ),
    );
  },
};
