import * as z from "zod";
import type { Db } from "../../../lib/platform/db/client.ts";
import { backlogLagQuery } from "../../../lib/platform/db/query/backlog-lag.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Row = z.object({ of: z.enum(["days", "feed", "passages"]), seconds: z.number() });

/** Limit of each lag in hours, its name and remedy. */
const bounds: Record<z.output<typeof Row>["of"], { hours: number; what: string; remedy: string }> = {
  days: {
    hours: 30,
    what: "reports are behind by this time; their as_of says so",
    remedy: "whether the schedule runs, and the log of its job upkeep",
  },
  feed: {
    hours: 1 / 60,
    what: "an open transaction holds back the event feeds",
    remedy:
      "select pid, usename, query from pg_stat_activity where backend_xid is not null order by xact_start",
  },
  passages: {
    hours: 2,
    what: "passages are waiting for embeddings, and are only found by their words",
    remedy: "the log of the job embeddings, and the metric tutor_embeddings_total",
  },
};

/** Checks the lag of work shared by all universities. */
export async function checkBehind(db: Db, now = new Date()): Promise<Finding[]> {
  const late = (await rowsOf(db, Row, backlogLagQuery)).filter(
    ({ of, seconds }) => seconds > bounds[of].hours * 3600,
  );
  if (late.length === 0) return [ok("reports, event feeds and embeddings are up to date")];
  return late.map(({ of, seconds }) => {
    const since = new Date(now.getTime() - seconds * 1000).toISOString().slice(0, 16);
    const { what, remedy } = bounds[of];
    return advice(`${lasting(seconds)}, since ${since}Z: ${what}`, remedy);
  });
}

const lasting = (seconds: number): string =>
  seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
