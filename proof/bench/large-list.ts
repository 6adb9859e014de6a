import pg from "pg";
import { loadConfig } from "../../lib/config.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { createTokenService } from "../../lib/platform/secrets/tokens.ts";
import { seed } from "../../scripts/seed.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { median } from "./measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

const modules = 10_000;

/** The longest time one request may block the event loop. */
const maxListBlockingMs = 20;

const rounds = 15;

/**
 * How long a course of ten thousand modules, in one response, blocks the event loop: the median of the
 * longest turns of several requests.
 */
export async function benchLargeListBlocking(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const database = await connectDatabase({ url: stage.databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  const course = await makeLargeCourse(stage.databaseUrl);
  const settings = benchServiceSettings(stage.databaseUrl);
  const { access_token } = await createTokenService(loadConfig(settings), () => new Date()).issue({ id: 1 });
  const { url, ask } = await stage.start<ServerUrlAndPid>("platform-server.ts", settings);
  const turns: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await ask("longest turn");
    const response = await fetch(`${url}/api/v1/modules/courses/${course}/modules`, {
      headers: { authorization: `Bearer ${access_token}`, "accept-encoding": "identity" },
    });
    const { length } = (await response.json()) as unknown[];
    if (length !== modules) throw new Error(`${length} modules came`);
    turns.push(Number(await ask("longest turn")));
  }
  return [
    upperLimitVerdict(
      `${modules} modules`,
      median(turns),
      maxListBlockingMs,
      "ms without serving other requests",
    ),
  ];
}

async function makeLargeCourse(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query(
    `with course as (
       insert into courses (university_id, title, code, is_published)
       select id, 'Much at once', 'BENCH-LARGE', true from universities order by id limit 1 returning id
     ), made as (
       insert into modules (course_id, module_type, title, description, sequence_index, is_published)
       select course.id, 'lesson', 'Module ' || number, repeat('What it is about. ', 5), number, true
       from course, generate_series(1, $1::int) as number
     )
     select id from course`,
    [modules],
  );
  await client.query("analyze");
  await client.end();
  return rows[0].id;
}
