import { and, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  Rollout,
  type RolloutPath,
  type RolloutQuery,
  type RolloutReport,
} from "../../../schema/api/tutor/rollouts.ts";
import { promptRollouts } from "../../../schema/db/tutor/rollouts.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { armStatisticsSql } from "./arm-statistics.ts";
import { ArmStatisticsRow, compareArms, meanOrNull } from "./compare.ts";
import type { RolloutSettings } from "./create.ts";
import { canMoveProductionLabel, rolloutJsonSql } from "./rollout-json.ts";

const one = alias(promptRollouts, "one");

/** Rollouts that the caller may end, or whose candidate they wrote. */
const seenBy = (actor: Actor, { PROTECTED_PROMPT_LABELS }: RolloutSettings): SQL | undefined =>
  canMoveProductionLabel(actor, PROTECTED_PROMPT_LABELS) ? undefined : sql`one.author_id = ${actor.id}`;

const Listed = RowWithPageKey.extend({ rollout: Rollout });

export async function listRollouts(
  db: ReadDb,
  actor: Actor,
  name: string,
  query: RolloutQuery,
  config: RolloutSettings,
): Promise<ListPage<Rollout>> {
  const page = createPageQuery(query, [descending(one.id)]);
  const wanted = and(sql`one.prompt_name = ${name}`, seenBy(actor, config));
  const rows = await rowsOf(
    db,
    Listed,
    sql`select ${rolloutJsonSql(sql`one`)} as rollout, ${page.keyColumn} from prompt_rollouts as one ${page.tail(wanted)}`,
  );
  return page.part(rows).map(({ rollout }) => rollout);
}

const maxConversationsPerArm = 2000;

const Reported = z.object({
  rollout: Rollout,
  base: ArmStatisticsRow,
  candidate: ArmStatisticsRow,
  warmings: z.int(),
});

/** With the statistics of both arms; 404 if the caller may not see it. */
export async function getRollout(
  db: ReadDb,
  actor: Actor,
  { prompt_name, rollout_id }: RolloutPath,
  config: RolloutSettings,
): Promise<RolloutReport> {
  const wanted = and(sql`one.id = ${rollout_id} and one.prompt_name = ${prompt_name}`, seenBy(actor, config));
  const [row] = await rowsOf(
    db,
    Reported,
    sql`select ${rolloutJsonSql(sql`one`)} as rollout, one.warmings,
               ${armStatisticsSql(sql`one.id`, "base", maxConversationsPerArm)} as base,
               ${armStatisticsSql(sql`one.id`, "candidate", maxConversationsPerArm)} as candidate
        from prompt_rollouts as one where ${wanted}`,
  );
  if (!row) throw notFound("Rollout");
  const { rollout, base, candidate, warmings } = row;
  return {
    ...rollout,
    arms: { base: shownArm(base), candidate: shownArm(candidate) },
    compared: compareArms({ base, candidate }, rollout.stop),
    warmings,
  };
}

const shownArm = ({
  length,
  cost,
  first_word,
  ...counts
}: ArmStatisticsRow): RolloutReport["arms"]["base"] => ({
  ...counts,
  characters: meanOrNull(length),
  cost_micros: meanOrNull(cost),
  first_word_ms: meanOrNull(first_word),
});
