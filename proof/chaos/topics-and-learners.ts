import { sql } from "drizzle-orm";
import { loadConfig } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { createTokenService } from "../../lib/platform/secrets/tokens.ts";
import { makersOf } from "../../tests/support/makers.ts";
import { secretKey } from "../../tests/support/server-process.ts";
import type { World } from "../../tests/support/world.ts";

/** A topic to be opened, and a user who may purge and replace its stored answers. */
export type ChaosTopic = { id: number; title: string; instructor: string };

/** Topics, and learners by access token. */
export type ChaosTopicsAndLearners = { topics: [ChaosTopic, ...ChaosTopic[]]; learners: string[] };

/** The run's direct access to the database. */
export async function createChaosDeps(url: string): ReturnType<typeof createDeps> {
  const config = loadConfig({
    ENVIRONMENT: "development",
    SECRET_KEY: secretKey,
    DATABASE_URL: url,
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "unused",
  });
  return await createDeps(config, { database: await connectDatabase({ url }) });
}

export async function createChaosTopicsAndLearners(
  deps: Deps,
  learners: number,
): Promise<ChaosTopicsAndLearners> {
  const make = makersOf({ deps } as World);
  const { issue } = createTokenService(deps.config, deps.now);
  const tokenOf = async ({ id }: { id: number }) => (await issue({ id })).access_token;
  const openTopic = async (): Promise<ChaosTopic> => {
    const { university, item } = await make.topic();
    return {
      id: item.id,
      title: item.title,
      instructor: await tokenOf(await make.holder("university_admin", university.id)),
    };
  };
  const first = await openTopic();
  const more = await Promise.all(Array.from({ length: Math.floor(learners / 10) }, openTopic));
  const people = await Promise.all(Array.from({ length: learners }, () => make.person()));
  await rememberDeleted(deps);
  return { topics: [first, ...more], learners: await Promise.all(people.map(tokenOf)) };
}

/** Copies messages of deleted sessions, so every answer can be counted. */
async function rememberDeleted({ db }: Deps): Promise<void> {
  await db.execute(sql`create table chaos_deleted as select * from chat_messages with no data`);
  await db.execute(sql`
    create function chaos_remember() returns trigger language plpgsql as $$
    begin
      insert into chaos_deleted select old.*;
      return old;
    end $$`);
  await db.execute(sql`
    create trigger chaos_remember after delete on chat_messages for each row execute function chaos_remember()`);
}
