import { pruneNotifications } from "../../courses/notifications/retention.ts";
import type { Deps } from "../../deps.ts";
import { pruneTokens } from "../../identity/accounts/one-time-tokens.ts";
import { queueApiKeyEndWarnings } from "../../identity/api-keys/ending-keys.ts";
import { pruneAuditEvents } from "../../identity/audit/retention.ts";
import { pruneCartridgeImports } from "../../integrations/cartridges/retention.ts";
import { pruneImports } from "../../integrations/imports/retention.ts";
import { renewToolKeys } from "../../integrations/lti/keys.ts";
import { pruneRefusedLaunches } from "../../integrations/lti/retention.ts";
import { pruneDirectoryRequests } from "../../integrations/scim/requests.ts";
import { forEachSettled } from "../../platform/async/for-each-settled.ts";
import { pruneMail } from "../../platform/mail/retention.ts";
import { expireLostCalls } from "../../tutor/budgets/lost-calls.ts";
import { addVisitsToNodeCounts, pruneAnswerTree } from "../../tutor/chat/prune.ts";
import { pruneTreeChangeUndoData } from "../../tutor/chat/prune-changes.ts";
import { pruneFailedAnswers } from "../../tutor/generations/retention.ts";
import { measureLexicalRetrieval } from "../../tutor/passages/measure-retrieval.ts";
import { rollUpReportData } from "../analytics/roll-up.ts";
import { executeApprovedUniversityErasures } from "../data-requests/erase.ts";
import { eraseConversationsOfErasedAccounts, eraseLeftovers } from "../personal-data/erase-leftovers.ts";

type Parts = Pick<Deps, "db" | "config" | "now">;

/** Works until `signal` aborts and returns how much it did. */
type Task = (parts: Parts, signal: AbortSignal) => Promise<object | number>;

/** Under load the roll-up never ends: it is last and blocks no others. */
const upkeep = {
  lost_calls: ({ db }, signal) => expireLostCalls(db, signal),
  folded_visits: ({ db }, signal) => addVisitsToNodeCounts(db, signal),
  erased_at_universities: executeApprovedUniversityErasures,
  erased_conversations: (parts, signal) => eraseConversationsOfErasedAccounts(parts, signal),
  erased_leftovers: (parts, signal) => eraseLeftovers(parts, signal),
  forgotten_mail: pruneMail,
  forgotten_tokens: pruneTokens,
  renewed_tool_keys: renewToolKeys,
  warned_of_keys: queueApiKeyEndWarnings,
  measured_passages: measureLexicalRetrieval,
  rolled_up: ({ db }, signal) => rollUpReportData(db, signal),
} satisfies Record<string, Task>;

const expired = {
  forgotten_notifications: pruneNotifications,
  forgotten_audit_events: pruneAuditEvents,
  forgotten_imports: pruneImports,
  forgotten_cartridge_imports: pruneCartridgeImports,
  forgotten_refused_launches: pruneRefusedLaunches,
  forgotten_directory_requests: pruneDirectoryRequests,
  forgotten_failed_answers: pruneFailedAnswers,
} satisfies Record<string, Task>;

const cache = {
  forgotten_tree_changes: pruneTreeChangeUndoData,
  pruned: ({ db, config }, signal) => pruneAnswerTree(db, config, signal),
} satisfies Record<string, Task>;

/** Runs often, so reports have little left to count. */
export const runFrequentUpkeep = (parts: Parts, signal: AbortSignal) => doEach(upkeep, parts, signal);

/** The rest follows the next day. */
export const runDailyExpiryTasks = (parts: Parts, signal: AbortSignal) => doEach(expired, parts, signal);

/** The rest follows the next day. */
export const runCachePruningTasks = (parts: Parts, signal: AbortSignal) => doEach(cache, parts, signal);

/** Runs all tasks, even if one fails. Rejects at the end with all errors. */
async function doEach(tasks: Record<string, Task>, parts: Parts, signal: AbortSignal) {
  const done: Record<string, object | number> = {};
  await forEachSettled(Object.entries(tasks), async ([name, task]) => {
    done[name] = await task(parts, signal);
  });
  return done;
}
