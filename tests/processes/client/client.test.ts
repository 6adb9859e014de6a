import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createPlatformClient,
  type PlatformClient,
  readTutorEvents,
  type Schemas,
  type TutorEvent,
} from "../../../client/client.ts";
import { writeOperations } from "../../../client/generate-operations.ts";
import { writeTypes } from "../../../client/generate-types.ts";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const root = path.resolve(import.meta.dirname, "../../..");

describe("the typed client", () => {
  const world = openWorld();
  const make = makersOf(world);
  let server: HttpServer;
  let client: PlatformClient;
  let token: string | undefined;

  beforeAll(async () => {
    server = await startServer({ deps: world.deps, port: 0 });
    client = createPlatformClient({ baseUrl: server.url, token: () => token });
  });
  afterAll(() => server.close());

  it("signs up, and then reads with the token it was given", async () => {
    const email = `${make.unique("client").toLowerCase()}@example.edu`;
    const registered = await client.register({
      body: { email, password: "a password", full_name: "Ada Client" },
    });
    expect(registered.error).toBeUndefined();
    token = registered.data?.access_token;
    const { data: me } = await client.getMyProfile();
    const name: string | undefined = me?.full_name;
    expect(name).toBe("Ada Client");
  });

  it("answers an error as data, with its status", async () => {
    const { data, error, response } = await client.getCourse({
      params: { path: { course_id: 2_147_483_647 } },
    });
    expect([data, error, response.status]).toEqual([undefined, { detail: "Course not found" }, 404]);
  });

  it("reads a list with its query", async () => {
    const { course } = await make.topic();
    const { data: courses } = await client.listCourses({
      params: { query: { university_id: course.university_id, limit: 5 } },
    });
    const titles: Schemas["Course"]["title"][] | undefined = courses?.map(({ title }) => title);
    expect(titles).toEqual([course.title]);
  });

  it("streams the tutor's answer", async () => {
    const { item } = await make.topic();
    const { data: session } = await client.createChatSession({
      body: { content_item_id: item.id },
    });
    world.llm.script({ chunks: ["Wel", "come – ", "let us begin."] });
    const { data: stream } = await client.sendChatMessage({
      params: { path: { session_id: session?.id ?? 0 } },
      body: { content: "Start." },
      parseAs: "stream",
    });
    const events: TutorEvent[] = [];
    if (stream) for await (const event of readTutorEvents(stream)) events.push(event);
    expect(events.map(({ content }) => content)).toEqual(["Wel", "come – ", "let us begin.", ""]);
    expect(events.at(-1)).toEqual({ content: "", done: true, message_id: expect.any(Number) });
  });
});

describe("client/api.ts", () => {
  it("is current: `npm run generate client` writes the committed file", async () => {
    const committed = await readFile(path.join(root, "client/api.ts"), "utf8");
    expect(committed === (await writeTypes())).toBe(true);
  });
});

describe("client/operations.ts", () => {
  it("is current: `npm run generate client` writes the committed file", async () => {
    const committed = await readFile(path.join(root, "client/operations.ts"), "utf8");
    expect(committed === (await writeOperations())).toBe(true);
  });
});
