import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../../lib/config.ts";
import type { Db } from "../../../lib/db/client.ts";
import { rowsOf } from "../../../lib/db/query/rows.ts";
import { platformFetch } from "../../../lib/lti/platform-fetch.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Platform = z.object({
  university: z.string(),
  name: z.string(),
  jwks_url: z.string(),
  auth_token_url: z.string(),
});

/** Platforms that are asked, the newest first: each is waited for. */
const mostAsked = 50;

/** Whether the LMSs that launch the service publish keys, and can be asked for tokens, from where it runs. */
export async function checkLtiPlatforms(db: Db, config: Config): Promise<Finding> {
  const platforms = await rowsOf(
    db,
    Platform,
    sql`select university.name as university, one.name, one.jwks_url, one.auth_token_url from lti_platforms as one
        join universities as university on university.id = one.university_id
        where university.is_active order by one.id desc limit ${mostAsked}`,
  );
  if (platforms.length === 0) return ok("no LMS is registered");
  const problems = (await Promise.all(platforms.map((one) => problemsOf(one, config)))).flat();
  if (problems.length === 0)
    return ok("each LMS that is registered publishes its keys, and answers for tokens");
  return advice(
    `LMSs whose launches are refused, or that give no tokens:\n      ${problems.join("\n      ")}`,
    "look at their addresses with the university's administrator, and at the network's rules",
  );
}

async function problemsOf(
  { university, name, jwks_url, auth_token_url }: z.output<typeof Platform>,
  config: Config,
): Promise<string[]> {
  const ask = (address: string) =>
    platformFetch(config)(address, {
      method: "GET",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
    });
  const keys = async () => {
    const answer = await ask(jwks_url);
    if (answer.status !== 200) return `answered ${answer.status}`;
    const { success } = z
      .object({ keys: z.array(z.object({ kid: z.string() })).min(1) })
      .safeParse(await answer.json());
    return success ? undefined : "has no keys with an id";
  };
  // It takes a POST alone: that it says so is an answer.
  const token = async () => void (await ask(auth_token_url));
  const found = await Promise.all(
    [keys, token].map((check) => check().catch((error: Error) => `cannot be read: ${error.message}`)),
  );
  return found.flatMap((problem, index) =>
    problem ? [`${university}: ${name}, ${[jwks_url, auth_token_url][index]} ${problem}`] : [],
  );
}
