import type { JudgedOrder } from "../../../../schema/db/tutor/trials.ts";
import type { TrialVerdict } from "../../../../schema/enums.ts";

/** A tie if both orders disagree; undefined if one is unreadable. */
export function combineVerdicts(orders: readonly JudgedOrder[]): TrialVerdict | undefined {
  const [one, other] = orders.map(({ verdict }) => verdict);
  if (!one || !other) return undefined;
  return one === other ? one : "tie";
}
