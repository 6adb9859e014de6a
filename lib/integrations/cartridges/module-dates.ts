import * as z from "zod";
import { dueFollowsAvailable } from "../../../schema/api/courses/dates.ts";
import { Instant } from "../../../schema/api/platform/fields.ts";

/** Our own file with modules' dates, by identifier: the manifest has no place for them. */
export const moduleDatesFileName = "module-dates.json";

const ModuleDates = z.record(
  z.string(),
  z.object({ available_from: Instant.nullable(), due_at: Instant.nullable() }).check(dueFollowsAvailable),
);

export type ModuleDates = z.output<typeof ModuleDates>;

/** Empty for a file that our export did not write. */
export function readModuleDates(bytes: Uint8Array): ModuleDates {
  try {
    return ModuleDates.safeParse(JSON.parse(Buffer.from(bytes).toString())).data ?? {};
  } catch {
    return {};
  }
}
