import type { ErrorCode, MessageValuesFor } from "../../error-codes.ts";
import type { EncodedOmission } from "../../platform/results/omission-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";

/** Nothing is created from a part. */
export class RefusedPartError extends Error {
  override name = "RefusedPartError";
  readonly reason: StoredReason;
  readonly leftOut: readonly EncodedOmission[];

  constructor(reason: StoredReason, leftOut: readonly EncodedOmission[] = []) {
    super(reason);
    this.reason = reason;
    this.leftOut = leftOut;
  }
}

export const createRefusedPartError = <Code extends ErrorCode>(
  code: Code,
  ...values: MessageValuesFor<Code>
): RefusedPartError => new RefusedPartError(encodeStoredReason(code, ...values));
