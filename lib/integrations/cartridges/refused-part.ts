import type { ErrorCode, MessageValuesOf } from "../../error-codes.ts";
import { type StoredReason, storedReason } from "../../platform/results/stored-reason.ts";
import type { LeftOut } from "./omission-codes.ts";

/** Nothing is created from a part. */
export class RefusedPart extends Error {
  override name = "RefusedPart";
  readonly reason: StoredReason;
  readonly leftOut: readonly LeftOut[];

  constructor(reason: StoredReason, leftOut: readonly LeftOut[] = []) {
    super(reason);
    this.reason = reason;
    this.leftOut = leftOut;
  }
}

export const refusedPart = <Code extends ErrorCode>(
  code: Code,
  ...values: MessageValuesOf<Code>
): RefusedPart => new RefusedPart(storedReason(code, ...values));
