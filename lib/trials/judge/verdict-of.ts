import type { JudgedOrder } from "../../../schema/db/trials.ts";
import type { TrialVerdict } from "../../../schema/enums.ts";

/** What both orders come to: a tie where they do not agree. Undefined where one of them could not be read. */
export function verdictOf(orders: readonly JudgedOrder[]): TrialVerdict | undefined {
  const [one, other] = orders.map(({ verdict }) => verdict);
  if (!one || !other) return undefined;
  return one === other ? one : "tie";
}
