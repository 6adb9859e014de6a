import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { type JWTPayload, SignJWT } from "jose";
import * as z from "zod";
import { loadConfig } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { renewToolKeys } from "../../lib/integrations/lti/keys.ts";
import { scopesGrantedToTools } from "../../lib/integrations/lti/service-scopes.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { serverParts } from "../../server/parts.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { insertLtiToolWithClass, itemCountPerTool, type LtiToolAndClassIds } from "./lti-tool-class.ts";
import { measureLaunchesWithFaultyAttempts } from "./lti-tool-launches.ts";
import { measureScorePostsWithFaults } from "./lti-tool-scores.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

export type LtiToolBenchSize = { launches: number; scores: number };

const usual: LtiToolBenchSize = { launches: 1000, scores: 10_000 };
const maxLaunchSeconds = 60;
const maxScoreSeconds = 240;

export type ToolUnderLoad = LtiToolAndClassIds & {
  url: string;
  tokenOf(id: number): Promise<string>;
  accessToken: string;
};

/**
 * A thousand learners launch a tool, which then sends ten thousand scores. Every tenth request is bad, replayed or out
 * of order.
 */
export async function benchToolLaunchesAndScores(
  stage: BenchEnvironment,
  size = usual,
): Promise<BenchVerdict[]> {
  const settings = { ...benchServiceSettings(stage.databaseUrl), ENABLE_ACCESS_LOG: "false" };
  const database = await connectDatabase({ url: stage.databaseUrl });
  const deps = await createDeps(loadConfig(settings), { database, parts: serverParts });
  await renewToolKeys(deps);
  const server = await stage.start<ServerUrlAndPid>("platform-server.ts", settings);
  try {
    const tool = await createToolUnderLoad(
      deps,
      server.url,
      Math.ceil(Math.max(size.launches, size.scores / itemCountPerTool)),
    );
    const launched = await measureLaunchesWithFaultyAttempts(tool, size.launches);
    const sent = await measureScorePostsWithFaults(tool, size.scores);
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

async function createToolUnderLoad(deps: Deps, url: string, people: number): Promise<ToolUnderLoad> {
  const { key, ...tool } = await insertLtiToolWithClass(deps, people);
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "tool" }).sign(key.privateKey);
  return {
    ...{ ...tool, url },
    tokenOf: async (id) => (await deps.tokens.issue({ id })).access_token,
    accessToken: await grantedToken(url, tool.client_id, sign),
  };
}

async function grantedToken(
  url: string,
  client: string,
  sign: (claims: JWTPayload) => Promise<string>,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    iss: client,
    sub: client,
    aud: `${url}/lti/tools/token`,
    iat,
    exp: iat + 300,
    jti: randomUUID(),
  };
  const form = {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await sign(claims),
    scope: scopesGrantedToTools.join(" "),
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
