import type { RetentionKind } from "../../../schema/enums.ts";
import { type HistogramName, histogramBucket } from "./families.ts";
import { sqlVerbOf } from "./sql-verb.ts";
import { createTally, type MetricTally } from "./tally.ts";

type AnsweredRequest = {
  method: string;
  route: string | undefined;
  status: number;
  duration_ms: number;
};

/** Calls only count in memory and never wait. */
export type Metrics = {
  requestStarted(): void;
  requestAnswered(request: AnsweredRequest): void;
  queryEnded(statement: string, duration_ms: number): void;
  questionEnded(outcome: QuestionParseOutcome): void;
  keyRead(outcome: AnswerKeyOutcome): void;
  checkFailed(check: string, outcome: FailedCheckOutcome): void;
  answerWarmed(outcome: WarmedOutcome): void;
  moveMade(move: string): void;
  trialCaseEnded(outcome: TrialCaseOutcome): void;
  llmBatchEnded(outcome: LlmBatchOutcome): void;
  unknownStop(model: string): void;
  llmProblem(problem: string): void;
  embedded(of: EmbeddedTextKind, outcome: EmbeddedOutcome, texts: number, tokens: number): void;
  rolloutEnded(outcome: RolloutOutcome): void;
  stepMade(outcome: TutorStepOutcome): void;
  launchEnded(outcome: string): void;
  ltiServiceCalled(service: LtiService, outcome: LtiServiceOutcome): void;
  samlResponseEnded(outcome: string): void;
  uploadEnded(upload: EndedUpload): void;
  rowsForgotten(kind: RetentionKind, rows: number): void;
};

export type EndedUpload = { purpose: string; outcome: "ready" | "refused"; bytes: number };

export type TrialCaseOutcome = "answered" | "failed" | "skipped";
export type LlmBatchOutcome = "ended" | "lost" | "refused";
export type EmbeddedTextKind = "passage" | "question" | "measure";
export type EmbeddedOutcome = "made" | "refused" | "failed";
export type RolloutOutcome = "promoted" | "by_hand" | "by_itself";
export type LtiService = "score" | "roster" | "deep_linking";
export type LtiServiceOutcome = "done" | "refused" | "later";
export type AnswerKeyOutcome = "kept" | "dropped";
/** The second answer passed, neither was stored, or sentences of a private answer were replaced. */
export type FailedCheckOutcome = "corrected" | "not_shared" | "replaced";
export type TutorStepOutcome = "right" | "wrong";
export type WarmedOutcome = "made" | "found" | "left_out" | "failed";
export type QuestionParseOutcome = "read" | "repaired" | "malformed";

export type MetricTallyAndInProgress = { tally: MetricTally; requestsInProgress(): number };

const standardMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const errorTypes: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "content_too_large",
  422: "validation",
  500: "internal",
  503: "unavailable",
};

/**
 * Labels have few values: the route's pattern or `unmatched`, and `other` for unexpected methods and
 * statements.
 */
export function createMetrics(): Metrics & MetricTallyAndInProgress {
  const tally = createTally();
  let inProgress = 0;

  function observe(histogram: HistogramName, duration_ms: number): void {
    const seconds = duration_ms / 1000;
    tally.add(`${histogram}_bucket`, { le: histogramBucket(histogram, seconds) });
    tally.add(`${histogram}_sum`, {}, seconds);
  }

  return {
    tally,
    requestsInProgress: () => inProgress,
    requestStarted() {
      inProgress += 1;
    },
    requestAnswered({ method, route: path = "unmatched", status, duration_ms }) {
      inProgress -= 1;
      const known = standardMethods.has(method) ? method : "other";
      tally.add("http_requests_total", { method: known, path, status: String(status) });
      observe("http_request_duration_seconds", duration_ms);
      if (status >= 400) tally.add("errors_total", { type: errorTypes[status] ?? "other", path });
    },
    queryEnded(statement, duration_ms) {
      tally.add("db_query_total", { operation: sqlVerbOf(statement) });
      observe("db_query_duration_seconds", duration_ms);
    },
    questionEnded(outcome) {
      tally.add("tutor_questions_total", { outcome });
    },
    keyRead(outcome) {
      tally.add("tutor_keys_total", { outcome });
    },
    checkFailed(check, outcome) {
      tally.add("tutor_failed_checks_total", { check, outcome });
    },
    answerWarmed(outcome) {
      tally.add("tutor_warmed_total", { outcome });
    },
    embedded(of, outcome, texts, tokens) {
      tally.add("tutor_embeddings_total", { of, outcome }, texts);
      tally.add("tutor_embeddings_tokens_total", { of }, tokens);
    },
    stepMade(outcome) {
      tally.add("tutor_steps_total", { outcome });
    },
    moveMade(move) {
      tally.add("tutor_moves_total", { move });
    },
    trialCaseEnded(outcome) {
      tally.add("prompt_trial_cases_total", { outcome });
    },
    llmBatchEnded(outcome) {
      tally.add("llm_batches_total", { outcome });
    },
    unknownStop(model) {
      tally.add("llm_unknown_stops_total", { model });
    },
    llmProblem(problem) {
      tally.add("llm_problems_total", { problem });
    },
    rolloutEnded(outcome) {
      tally.add("prompt_rollouts_ended_total", { outcome });
    },
    launchEnded(outcome) {
      tally.add("lti_launches_total", { outcome });
    },
    ltiServiceCalled(service, outcome) {
      tally.add("lti_service_calls_total", { service, outcome });
    },
    samlResponseEnded(outcome) {
      tally.add("saml_responses_total", { outcome });
    },
    uploadEnded({ purpose, outcome, bytes }) {
      tally.add("files_uploaded_total", { purpose, outcome });
      if (outcome === "ready") tally.add("files_uploaded_bytes_total", { purpose }, bytes);
    },
    rowsForgotten(kind, rows) {
      tally.add("retention_rows_forgotten_total", { kind }, rows);
    },
  };
}

export const noMetrics: Metrics = {
  requestStarted() {},
  requestAnswered() {},
  queryEnded() {},
  questionEnded() {},
  keyRead() {},
  checkFailed() {},
  answerWarmed() {},
  moveMade() {},
  trialCaseEnded() {},
  llmBatchEnded() {},
  unknownStop() {},
  llmProblem() {},
  embedded() {},
  rolloutEnded() {},
  stepMade() {},
  launchEnded() {},
  ltiServiceCalled() {},
  samlResponseEnded() {},
  uploadEnded() {},
  rowsForgotten() {},
};
