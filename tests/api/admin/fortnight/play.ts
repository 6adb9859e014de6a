import type { World } from "../../../support/world.ts";
import { act } from "./activity.ts";
import { meet } from "./community.ts";
import { converse } from "./conversations.ts";
import { sitExams } from "./results.ts";
import { buildStage } from "./stage.ts";
import { study } from "./studies.ts";

export type Fortnight = Awaited<ReturnType<typeof playFortnight>>;

/** When the reports are read: the day after. */
export const theDayAfter = "2026-03-15T12:00:00.000Z";

/**
 * What 12 people of two universities did in the fortnight from 1 to 14 March 2026, and a little before and after it
 * that must not be counted. The figures in the tests are counted by hand from the lines of these files.
 */
export async function playFortnight(world: World) {
  const stage = await buildStage(world);
  for (const part of [act, converse, study, sitExams, meet]) await part(stage);
  return { administrator: world.as({ id: stage.id(1) }), signals: stage.signals, logic: stage.logic };
}
