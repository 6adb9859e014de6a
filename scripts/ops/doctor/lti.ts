import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../../lib/config.ts";
import {
  type PlatformServiceDeps,
  requestPlatformAccessToken,
} from "../../../lib/integrations/lti/access-tokens.ts";
import { ServiceFailure } from "../../../lib/integrations/lti/service-failure.ts";
import { fetchPlatformResponse } from "../../../lib/integrations/lti/service-fetch.ts";
import { rosterScope, scoreScope } from "../../../lib/integrations/lti/service-scopes.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Platform = z.object({
  university: z.string(),
  name: z.string(),
  client_id: z.string(),
  jwks_url: z.string(),
  auth_token_url: z.string(),
});
type Platform = z.output<typeof Platform>;

type Parts = PlatformServiceDeps & { config: Pick<Config, "PUBLIC_URL"> };

/** Number of platforms checked, newest first; each takes time. */
const maxPlatformsQueried = 50;

/**
 * Checks that LMSs publish keys and issue tokens for both scopes. It asks with the tool's key, so a failure
 * here also affects the jobs.
 */
export async function checkLtiPlatforms(db: Db, config: Config, now: () => Date): Promise<Finding> {
  const platforms = await rowsOf(
    db,
    Platform,
    sql`select university.name as university, one.name, one.client_id, one.jwks_url, one.auth_token_url
        from lti_platforms as one
        join universities as university on university.id = one.university_id
        where university.is_active order by one.id desc limit ${maxPlatformsQueried}`,
  );
  if (platforms.length === 0) return ok("no LMS is registered");
  const parts = { db, config, now };
  const problems = (await Promise.all(platforms.map((one) => problemsOf(parts, one)))).flat();
  if (problems.length === 0)
    return ok("each registered LMS publishes its keys, and gives tokens for grades and rosters");
  return advice(
    `LMSs whose launches are rejected, or that give no tokens:\n      ${problems.join("\n      ")}`,
    "\"Connect an LMS\" in docs/operations.md lists the required settings and permissions; check them with the university's administrator, and check the network's rules",
  );
}

async function problemsOf(parts: Parts, platform: Platform): Promise<string[]> {
  const { university, name, jwks_url, auth_token_url } = platform;
  const found = await Promise.all([
    problemOfKeys(parts, platform).then((problem) => ({ address: jwks_url, problem })),
    problemOfTokens(parts, platform).then((problem) => ({ address: auth_token_url, problem })),
  ]);
  return found.flatMap(({ address, problem }) =>
    problem ? [`${university}: ${name}, ${address} ${problem}`] : [],
  );
}

const KeySet = z.object({ keys: z.array(z.object({ kid: z.string() })).min(1) });

async function problemOfKeys(parts: Parts, { jwks_url }: Platform): Promise<string | undefined> {
  try {
    const asked = { method: "GET", headers: { accept: "application/json" }, timeoutMs };
    const answer = await fetchPlatformResponse(parts, jwks_url, asked);
    if (answer.status !== 200) return `answered ${answer.status}`;
    const { success } = KeySet.safeParse(await answer.json().catch(() => undefined));
    return success ? undefined : "has no keys with an id";
  } catch (error) {
    return `cannot be read: ${wordsOf(error)}`;
  }
}

const rights = [
  [scoreScope, "to post scores"],
  [rosterScope, "to read rosters"],
] as const;

async function problemOfTokens(parts: Parts, platform: Platform): Promise<string | undefined> {
  const missing: string[] = [];
  for (const [scope, right] of rights)
    try {
      await requestPlatformAccessToken(parts, platform, scope);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.code !== "invalid_scope")
        return `gives no tokens: ${refusalOf(error, platform, parts)}`;
      missing.push(right);
    }
  return missing.length > 0 ? `grants no permission ${missing.join(", and none ")}` : undefined;
}

/** The meaning of a rejection, by the platform's error code if it has one. */
function refusalOf(error: unknown, { client_id }: Platform, { config }: Parts): string {
  if (!(error instanceof ServiceFailure)) return wordsOf(error);
  const keys = `${config.PUBLIC_URL ?? ""}/lti/jwks`;
  switch (error.code) {
    case "invalid_client":
    case "invalid_grant":
      return `it has no tool with the client_id ${client_id}, or cannot read the tool's keys at ${keys} (${error.message})`;
    case "unauthorized_client":
    case "unsupported_grant_type":
      return `it does not allow the client_id ${client_id} to use services (${error.message})`;
    default:
      return error.message;
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
