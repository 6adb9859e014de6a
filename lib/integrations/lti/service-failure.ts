/** `refused` would fail again; `later` may be retried. `away` affects all calls to the platform. */
export class ServiceFailure extends Error {
  override name = "ServiceFailure";
  readonly kind: "refused" | "later";
  readonly status: number | undefined;
  readonly isAway: boolean;
  /** The platform's `error` code of RFC 6749, if it denied a token. */
  readonly code: string | undefined;
  /** Seconds, if the platform gives them. */
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
