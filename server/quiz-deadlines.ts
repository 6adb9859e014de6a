import { endDueAttempts } from "../lib/assessments/grading.ts";
import { type Poller, startPoller } from "../lib/async/poller.ts";
import type { Deps } from "../lib/deps.ts";

/** A server looks this often; a function of a schedule is called instead. */
const pauseMilliseconds = 15_000;

/** Closes and grades the attempts at quizzes that their takers left, until it is stopped. */
export const startQuizDeadlines = (deps: Deps): Poller =>
  startPoller((signal) => endDueAttempts(deps, signal), {
    pauseMilliseconds,
    onFailure: (error) => deps.log.warn({ reason: String(error) }, "attempts at quizzes could not be closed"),
  });
