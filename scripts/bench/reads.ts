import { groups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { connectDatabase } from "../../lib/db/client.ts";
import { wire } from "../../lib/deps.ts";
import { shell } from "../../lib/http/shell.ts";
import { seed } from "../seed.ts";
import type { BenchEnvironment } from "./environment.ts";
import { compare } from "./measure.ts";
import { ratioLine, type Verdict } from "./report.ts";
import { type Statement, statementsOf } from "./statements.ts";

const paths = ["/api/v1/users/me", "/api/v1/courses/"];

/** Requests a second of two signed-in reads against a bare server that sends the same statements. */
export async function benchReads(stage: BenchEnvironment): Promise<Verdict[]> {
  const environment = {
    ENVIRONMENT: "production",
    DATABASE_URL: stage.databaseUrl,
    DATABASE_POOL_SIZE: "10",
    SECRET_KEY: "the key of the bench, which is long enough",
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "none",
    ENABLE_ACCESS_LOG: "false",
  };
  const config = loadConfig(environment);
  const seeding = connectDatabase({ url: stage.databaseUrl });
  await seed(seeding.db, { now: new Date(), bcryptCost: 4 });
  await seeding.close();
  // Fresh connections: one that held a transaction sends its statements past the recorder.
  const deps = wire(config, { database: connectDatabase({ url: stage.databaseUrl }) });
  const app = shell(deps, groups);
  const { access_token } = await deps.tokens.issue(1);
  const headers = { authorization: `Bearer ${access_token}` };
  const statements: Record<string, Statement[]> = {};
  for (const path of paths)
    statements[path] = await statementsOf(async () => (await app.request(path, { headers })).text());
  if (paths.some((path) => statements[path]?.length === 0)) throw new Error("no statements were recorded");
  await deps.close();

  const bare = await stage.start("bare-server.ts", {
    ...environment,
    STATEMENTS: JSON.stringify(statements),
  });
  const ours = await stage.start("platform-server.ts", environment);
  const verdicts: Verdict[] = [];
  for (const path of paths) {
    const measured = await compare({ url: ours.url + path, headers }, { url: bare.url + path });
    verdicts.push(ratioLine(`GET ${path}`, measured, { atLeast: 0.5 }));
  }
  return verdicts;
}
