import { PlatformError } from "learning-platform-client";

/** What the service refuses in the last event of an answer, which can have no status any more. */
export class AnswerRefused extends Error {
  override name = "AnswerRefused";
  /** After how many seconds it is worth while to ask again, where the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ error, retry_after }: { error: string; retry_after?: number }) {
    super(error);
    this.retryAfterSeconds = retry_after;
  }
}

/** After how many seconds a refusal asks to try again; 0 where it does not. */
export const secondsToWait = (error: unknown): number =>
  error instanceof PlatformError || error instanceof AnswerRefused ? (error.retryAfterSeconds ?? 0) : 0;

/** Something that keeps a form from being sent, in words for people. */
export class NotYet extends Error {
  override name = "NotYet";
}
