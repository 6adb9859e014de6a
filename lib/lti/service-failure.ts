/**
 * Why a platform did not take what a service sent, or gave nothing. `refused` would be refused again; `later` may go
 * well the next time. What is `away` is so for all that is sent there, not for the one thing alone.
 */
export class ServiceFailure extends Error {
  override name = "ServiceFailure";
  readonly kind: "refused" | "later";
  readonly status: number | undefined;
  readonly isAway: boolean;
  /** The platform's own word for it (`error` of RFC 6749), where it gave no token. */
  readonly code: string | undefined;
  /** In how many seconds the platform wants to be asked again, where it says so. */
  readonly retryAfter: number | undefined;

  constructor(reason: string, kind: "refused" | "later", more: More = {}) {
    super(reason, { cause: more.cause });
    this.kind = kind;
    this.status = more.status;
    this.isAway = more.isAway ?? false;
    this.code = more.code;
    this.retryAfter = more.retryAfter;
  }
}

type More = {
  status?: number | undefined;
  isAway?: boolean;
  code?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
};
