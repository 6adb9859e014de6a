import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { exportJWK, SignJWT } from "jose";
import * as z from "zod";
import { loadConfig } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { renewToolKeys } from "../../lib/integrations/lti/keys.ts";
import { toolScopes } from "../../lib/integrations/lti/service-scopes.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { serverParts } from "../../server/parts.ts";
import { makersOf } from "../../tests/support/makers.ts";
import { takeRsaKey } from "../../tests/support/rsa-keys.ts";
import type { World } from "../../tests/support/world.ts";
import type { ComparedServer } from "./baseline/environment.ts";
import { type BenchEnvironment, benchSettings } from "./environment.ts";
import { launchToolWithFaults } from "./lti-tool-launches.ts";
import { sendToolScores } from "./lti-tool-scores.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

export type LtiToolBenchSize = { launches: number; scores: number };

const usual: LtiToolBenchSize = { launches: 1000, scores: 10_000 };
const items = 10;
const maxLaunchSeconds = 60;
const maxScoreSeconds = 240;

export type ToolUnderLoad = {
  url: string;
  client_id: string;
  offering: number;
  items: number[];
  /** Accounts with a seat. */
  learners: number[];
  tokenOf(id: number): Promise<string>;
  accessToken: string;
};

/**
 * A thousand learners launch a tool, which then sends ten thousand scores. Every tenth request is bad, replayed or out
 * of order.
 */
export async function benchLtiTools(stage: BenchEnvironment, size = usual): Promise<BenchVerdict[]> {
  const settings = { ...benchSettings(stage.databaseUrl), ENABLE_ACCESS_LOG: "false" };
  const database = await connectDatabase({ url: stage.databaseUrl });
  const deps = await createDeps(loadConfig(settings), { database, parts: serverParts });
  await renewToolKeys(deps);
  const server = await stage.start<ComparedServer>("platform-server.ts", settings);
  try {
    const tool = await createToolUnderLoad(deps, server.url, Math.ceil(Math.max(size.launches, size.scores / items)));
    const launched = await launchToolWithFaults(tool, size.launches);
    const sent = await sendToolScores(tool, size.scores);
    const stored = await compareStoredScores(deps, tool, sent.expected);
    return [
      upperLimitVerdict(`${size.launches} launches of a tool`, launched.seconds, maxLaunchSeconds, "s"),
      upperLimitVerdict("Launches that failed", size.launches - launched.subjects, 0, "launches"),
      upperLimitVerdict("Bad launches that were accepted", launched.badAccepted, 0, "launches"),
      upperLimitVerdict(`${size.scores} scores of a tool`, sent.seconds, maxScoreSeconds, "s"),
      upperLimitVerdict("A read by another person during them, 95th percentile", sent.slowRead, 250, "ms"),
      upperLimitVerdict("Scores with an unexpected answer", sent.unexpected, 0, "scores"),
      upperLimitVerdict("Scores that were lost", stored.lost, 0, "scores"),
      upperLimitVerdict("Scores that were stored twice", stored.doubled, 0, "scores"),
    ];
  } finally {
    await deps.close();
  }
}

const Enrolled = z.object({ id: z.int() });

async function createToolUnderLoad(deps: Deps, url: string, people: number): Promise<ToolUnderLoad> {
  const make = makersOf({ deps } as World);
  const { university, module, offering } = await make.topic();
  const key = await takeRsaKey(2048);
  const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool" };
  const client_id = randomUUID();
  const [tool] = await rowsOf(
    deps.db,
    Enrolled,
    sql`
      with tool as (
        insert into lti_tools (university_id, name, client_id, login_url, launch_url, redirect_uris, public_jwks, subject_key)
        select ${university.id}, 'Tool', ${client_id}, at, at, array[at], ${JSON.stringify({ keys: [jwk] })}::jsonb, repeat('0', 32)
        from (values ('https://tool.example.com/launch')) as one (at) returning id
      ), placed as (
        insert into lti_tool_deployments (tool_id, university_id) select id, ${university.id} from tool
      )
      select id from tool`,
  );
  if (!tool) throw new Error("no tool");
  const data_json = { lti_tool_id: tool.id, max_points: 100 };
  const made: number[] = [];
  for (let n = 0; n < items; n += 1)
    made.push((await make.contentItem(module, university.id, { type: "external_tool", data_json })).id);
  const learners = await rowsOf(
    deps.db,
    Enrolled,
    sql`
      with people as (
        insert into users (email, full_name) select ${client_id}::text || n || '@example.edu', 'Learner'
        from generate_series(1, ${people}::int) as n returning id
      ), seated as (
        insert into enrollments (user_id, course_offering_id, status) select id, ${offering.id}, 'active' from people
      )
      select id from people`,
  );
  return {
    ...{ url, client_id, offering: offering.id, items: made, learners: learners.map(({ id }) => id) },
    tokenOf: async (id) => (await deps.tokens.issue({ id })).access_token,
    accessToken: await grantedToken(url, client_id, (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "tool" }).sign(key.privateKey),
    ),
  };
}

async function grantedToken(
  url: string,
  client: string,
  sign: (claims: Record<string, string | number>) => Promise<string>,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: client, sub: client, aud: `${url}/lti/tools/token`, iat, exp: iat + 300, jti: randomUUID() };
  const form = {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await sign(claims),
    scope: toolScopes.join(" "),
  };
  const send = () => fetch(`${url}/lti/tools/token`, { method: "POST", body: new URLSearchParams(form) });
  const granted = await send();
  if (!granted.ok) throw new Error(`a token answered ${granted.status}: ${await granted.text()}`);
  const replayed = await send();
  if (replayed.status !== 401) throw new Error(`a replayed assertion answered ${replayed.status}`);
  return ((await granted.json()) as { access_token: string }).access_token;
}

const Stored = z.object({ user_id: z.int(), content_item_id: z.int(), score: z.number() });
const Changes = z.object({ changes: z.int() });

/** A stored score is counted twice if the log of grade changes has it twice. */
async function compareStoredScores(deps: Deps, { offering }: ToolUnderLoad, expected: Map<string, number>) {
  const stored = await rowsOf(
    deps.db,
    Stored,
    sql`select user_id, content_item_id, score_obtained::float8 as score from lab_submissions
        where course_offering_id = ${offering}`,
  );
  const [log] = await rowsOf(
    deps.db,
    Changes,
    sql`select count(*)::int as changes from grade_changes
        where course_offering_id = ${offering} and kind = 'submission_graded'`,
  );
  const right = stored.filter((one) => expected.get(`${one.user_id} ${one.content_item_id}`) === one.score);
  return {
    lost: expected.size - right.length,
    doubled: (log?.changes ?? 0) - expected.size + (stored.length - right.length),
  };
}
