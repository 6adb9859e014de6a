import type { World } from "../../../../support/world.ts";
import { act } from "./activity.ts";
import { meet } from "./community.ts";
import { converse } from "./conversations.ts";
import { sitExams } from "./results.ts";
import { buildStage } from "./stage.ts";
import { study } from "./studies.ts";

export type Fortnight = Awaited<ReturnType<typeof playFortnight>>;

/** The time of reading the reports: the day after. */
export const theDayAfter = "2026-03-15T12:00:00.000Z";

/**
 * Activity of 12 people in two universities from 1 to 14 March 2026, and some outside that must not count.
 * The expected figures in the tests were counted by hand from these files.
 */
export async function playFortnight(world: World) {
  const stage = await buildStage(world);
  for (const part of [act, converse, study, sitExams, meet]) await part(stage);
  return { administrator: world.as({ id: stage.id(1) }), signals: stage.signals, logic: stage.logic };
}
