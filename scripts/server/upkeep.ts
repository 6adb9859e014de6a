import { forgetAuditEvents } from "../../lib/audit/retention.ts";
import { loseForgottenCalls } from "../../lib/budgets/lost-calls.ts";
import type { Deps } from "../../lib/deps.ts";
import { forgetNotifications } from "../../lib/notifications/retention.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";

/** A server looks this often; a function of a schedule is called instead. */
const pauseMilliseconds = 5 * 60_000;

/** Forgets what has been kept for long enough, and gives back what killed calls reserved, until it is stopped. */
export const startUpkeep = (deps: Deps): Rounds =>
  startRounds(
    async (signal) => {
      await loseForgottenCalls(deps.db, signal);
      await forgetNotifications(deps, signal);
      await forgetAuditEvents(deps, signal);
    },
    {
      pauseMilliseconds,
      onFailure: (error) => deps.log.warn({ reason: String(error) }, "what is old could not be forgotten"),
    },
  );
