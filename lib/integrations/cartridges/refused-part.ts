import type { ErrorCode, MessageValuesFor } from "../../error-codes.ts";
import type { EncodedOmission } from "../../platform/results/omission-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";

/** Nothing is created from a part. */
export class RefusedPart extends Error {
  override name = "RefusedPart";
  readonly reason: StoredReason;
  readonly leftOut: readonly EncodedOmission[];

  constructor(reason: StoredReason, leftOut: readonly EncodedOmission[] = []) {
    super(reason);
    this.reason = reason;
    this.leftOut = leftOut;
  }
}

export const refusedPartError = <Code extends ErrorCode>(
  code: Code,
  ...values: MessageValuesFor<Code>
): RefusedPart => new RefusedPart(encodeStoredReason(code, ...values));
