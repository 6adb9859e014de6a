import { PlatformError } from "learning-platform-client";

/** An error in the last event of a stream, after the status was sent. */
export class StreamError extends Error {
  override name = "AnswerRefused";
  /** Retry-After in seconds, if the service sent one. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ error, retry_after }: { error: string; retry_after?: number }) {
    super(error);
    this.retryAfterSeconds = retry_after;
  }
}

/** Retry-After in seconds, or 0. */
export const retryAfterSecondsOrZero = (error: unknown): number =>
  error instanceof PlatformError || error instanceof StreamError ? (error.retryAfterSeconds ?? 0) : 0;

/** Blocks a form's submission, with a message for the user. */
export class FormSubmissionBlockedError extends Error {
  override name = "NotYet";
}
