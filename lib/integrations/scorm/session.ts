import type { ScormVersion } from "../../../schema/enums.ts";
import type { ScoThresholds } from "./report.ts";
import type { ScoOutcome, ScormRules } from "./result.ts";

/**
 * What a commit needs besides the runtime data, sealed at the launch. The other SCOs cannot change during the
 * session, because each launch ends the session before it.
 */
export type ScormSession = {
  attempt_id: number;
  session_id: string;
  user_id: number;
  version: ScormVersion;
  sco: string;
  thresholds: ScoThresholds;
  rules: Pick<ScormRules, "completion" | "passing_percent" | "grade">;
  is_sequenced: boolean;
  /** Facts of the other SCOs, with the bytes that their data takes. */
  others: ScoOutcome[];
  other_bytes: number;
  /** Seconds of earlier sessions: of this SCO, and of the others. */
  seconds: number;
  other_seconds: number;
};

export const scormSessionPurpose = "session of a SCORM attempt";

/** A learner may leave a package open overnight. */
export const scormSessionLifetimeSeconds = 7 * 86_400;
