import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportUniversity } from "../../../scripts/ops/university/export-university.ts";
import { importUniversity } from "../../../scripts/ops/university/import-university.ts";
import { type Load, startLoad, stopUnrefused } from "../../support/load.ts";
import { makersOf } from "../../support/makers.ts";
import { buildUniversity, type UniversityFixture } from "../../support/university.ts";
import { openWorld, type World } from "../../support/world.ts";

const settings = { TUTOR_TURNS_PER_DAY: "1000000" };
const here = openWorld(settings);
const there = openWorld({ ...settings, SECRET_KEY: "the secret of another deployment, long enough" });

let folder: string;
let leaving: UniversityFixture;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "university-under-load-"));
  leaving = await buildUniversity(here);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What learners of another university do all day: one loop of requests each. */
async function startClass(world: World): Promise<Load[]> {
  const make = makersOf(world);
  const { item, offering } = await make.topic();
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const api = world.as(learner);
  const { body: session } = await api.post("/chat/sessions", { content_item_id: item.id });
  const requests: Record<string, (turn: number) => Promise<{ status: number; text: string }>> = {
    reads: () => api.get("/enrollments/my-enrollments"),
    progress: (turn) =>
      api.post("/progress/content", {
        content_item_id: item.id,
        course_offering_id: offering.id,
        progress_percent: turn % 100,
      }),
    cards: (turn) =>
      api.post("/study/flashcards", { content_item_id: item.id, front: `Front ${turn}`, back: "Back" }),
    conversations: (turn) =>
      api.post(`/chat/sessions/${session.id}/messages`, { content: `Question ${turn}` }),
    registrations: (turn) =>
      world.as().post("/auth/register", {
        email: `newcomer-${turn}@example.edu`,
        password: "a long password",
        full_name: "Newcomer",
      }),
  };
  return Object.entries(requests).map(([name, send]) =>
    startLoad(async (turn) => {
      const { status, text } = await send(turn);
      if (status >= 400) throw new Error(`${name} ${turn}: ${status} ${text}`);
    }),
  );
}

it("the export and the import of a university refuse no request of others", async () => {
  const { university_id } = leaving.scope;
  await here.deps.db.execute(`update universities set is_active = false where id = ${university_id}`);
  const { rows } = await here.deps.db.execute(
    `select short_code from universities where id = ${university_id}`,
  );
  const classHere = await startClass(here);
  const { key } = await exportUniversity(here.deps.config.DATABASE_URL, {
    shortCode: String(rows[0]?.["short_code"]),
    folder: path.join(folder, "export"),
    secrets: { SECRET_KEY: here.deps.config.SECRET_KEY },
  });
  await stopUnrefused(classHere);

  const classThere = await startClass(there);
  const imported = await importUniversity(there.deps.config.DATABASE_URL, {
    folder: path.join(folder, "export"),
    key,
    secretKey: there.deps.config.SECRET_KEY,
  });
  await stopUnrefused(classThere);
  expect(imported.known).toBe(0);
});
