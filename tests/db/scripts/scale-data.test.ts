import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildScaleReadRequests, readGetOperationParameters } from "../../../proof/bench/scale-reads.ts";
import { openTimedPlatformReader } from "../../../proof/bench/timed-platform-reader.ts";
import { treeViolationsQuery } from "../../../proof/chaos/tree-violations.ts";
import type { MaxIdByTable } from "../../../proof/scale/generated-inserts.ts";
import { loadScaleData } from "../../../proof/scale/load.ts";
import { smallScaleSize } from "../../../proof/scale/size.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/** The loader's minimum that covers everything. */
const size = { ...smallScaleSize, people: 200, courses: 200 };

let database: TestDatabase;
let base: MaxIdByTable;
const told: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  await loadScaleData(database.url, size, () => {});
  base = await loadScaleData(database.url, size, (what, done, all) =>
    told.push(`${what} ${Math.floor((100 * done) / all)} %`),
  );
});

afterAll(() => database.drop());

describe("the loader's additions to a loaded database", () => {
  it("have the requested size, once more", async () => {
    const { people, courses, coursesEach, modulesInFirst } = size;
    const counts = await database.run(`
      select (select count(*)::int from users) as people, (select count(*)::int from courses) as courses,
             (select count(*)::int from enrollments) as enrollments,
             (select count(*)::int from user_module_progress) + (select count(*)::int from user_content_progress)
               as progress,
             (select count(*)::int from modules where course_id = ${base.courses + 1}) as modules`);
    expect(counts).toEqual([
      {
        people: 2 * people,
        courses: 2 * courses,
        enrollments: 2 * people * coursesEach,
        progress: 4 * people * coursesEach,
        modules: modulesInFirst,
      },
    ]);
  });

  it("are reported during the load", () => {
    expect(told[0]).toBe("universities 0 %");
    expect(told.at(-1)).toBe("statistics 100 %");
  });

  it("keep the invariants of the tree, and the popularity of courses", async () => {
    expect(await database.run(treeViolationsQuery)).toEqual([]);
    const wrong = await database.run(`
      select course_id from course_popularity where subject_id is null and enrollments <> (
        select count(*) from enrollments join course_offerings on course_offerings.id = course_offering_id
        where course_offerings.course_id = course_popularity.course_id)`);
    expect(wrong).toEqual([]);
  });

  it("leaves room for the next row of each table", async () => {
    expect(
      await database.run("insert into domains (code, name) values ('NEXT', 'Next') returning id"),
    ).toEqual([{ id: base.domains + size.subjects / 10 + 1 }]);
  });

  it("has something to answer to every GET operation of the API that does not lead elsewhere", async () => {
    const platform = await openTimedPlatformReader(database.url, size, base);
    const operations = await readGetOperationParameters();
    // Readers with the most rights first, until one succeeds.
    const readers = platform.readers.toReversed();
    const answered = new Set<string>();
    for (const read of buildScaleReadRequests(operations, size, base))
      for (const reader of readers)
        if (!answered.has(read.operation) && (await platform.read(reader, read)).status === 200)
          answered.add(read.operation);
    await platform.close();
    expect([...operations.keys()].filter((one) => !answered.has(one))).toEqual([]);
  });
});
