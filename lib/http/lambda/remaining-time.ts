import type { Context as LambdaContext } from "aws-lambda";
import type { Context } from "hono";

/** How long the function that serves this request may still run; without end on a server of its own. */
export function remainingMilliseconds(c: Context): number {
  const { lambdaContext } = (c.env ?? {}) as { lambdaContext?: Partial<LambdaContext> };
  return lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
}
