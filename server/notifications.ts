import { type Poller, startPoller } from "../lib/async/poller.ts";
import type { Deps } from "../lib/deps.ts";
import { noticeAll } from "../lib/notifications/rounds.ts";

/** A server looks this often; a function of a schedule is called instead. */
const pauseMilliseconds = 15_000;

/** Tells people of announcements and dates, and puts what goes out by mail into the outbox, until it is stopped. */
export const startNotifications = (deps: Deps): Poller =>
  startPoller((signal) => noticeAll(deps, signal), {
    pauseMilliseconds,
    onFailure: (error) => deps.log.warn({ reason: String(error) }, "people could not be notified"),
  });
