import type { Context as LambdaContext } from "aws-lambda";
import type { Context } from "hono";

/** Until the function's timeout. Infinity on a server. */
export function remainingMilliseconds(c: Context): number {
  const { lambdaContext } = (c.env ?? {}) as { lambdaContext?: Partial<LambdaContext> };
  return lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
}
