import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { llmProblemAlertName, llmProblems, problemRemedies } from "../../../lib/platform/llm/problems.ts";
import { type Finding, ok, wrong } from "./finding.ts";

const Row = z.object({ name: z.string() });

/** Problems for which the LLM rejected calls in the last hour. */
export async function checkLlmProblems(db: Db, now: Date): Promise<Finding[]> {
  const rows = await rowsOf(
    db,
    Row,
    sql`select name from rate_limits
        where name = any (${sql.param(llmProblems.map(llmProblemAlertName))}::text[]) and ends_at > ${now.toISOString()}::timestamptz`,
  );
  const found = llmProblems.filter((problem) =>
    rows.some(({ name }) => name === llmProblemAlertName(problem)),
  );
  if (found.length === 0) return [ok("the LLM rejected no calls this hour for a cause that lasts")];
  return found.map((problem) =>
    wrong(`the LLM rejected calls this hour: ${says[problem]}`, problemRemedies[problem]),
  );
}

const says: Record<(typeof llmProblems)[number], string> = {
  credentials: "bad credentials",
  credit: "no credit",
  model: "an unknown or retired model",
  prompt_too_long: "an oversized prompt",
};
