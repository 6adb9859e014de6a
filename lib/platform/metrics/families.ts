type Common = { help: string; labels: readonly string[] };

/** `buckets` of a histogram are upper bounds in seconds. */
export type MetricFamily = Common &
  ({ type: "counter" | "gauge" } | { type: "histogram"; buckets: readonly number[] });

export const metricFamilies = {
  http_requests_total: {
    type: "counter",
    help: "HTTP requests, by method, route and status",
    labels: ["method", "path", "status"],
  },
  http_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request to the end of its response; for a stream, to its last event",
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  http_requests_in_progress: {
    type: "gauge",
    help: "HTTP requests in progress, by the last report of each instance",
    labels: [],
  },
  db_query_total: {
    type: "counter",
    help: "Round trips to the database, by the statement's operation",
    labels: ["operation"],
  },
  db_query_duration_seconds: {
    type: "histogram",
    help: "Time of a round trip to the database",
    labels: [],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  },
  db_sequence_used_ratio: {
    type: "gauge",
    help: "Share of used numbers, for each sequence over half",
    labels: ["sequence"],
  },
  db_behind_seconds: {
    type: "gauge",
    help: "Lag of shared work: days counted for the reports (27 hours are usual), the event feed, and passages waiting for embeddings",
    labels: ["of"],
  },
  schedule_overdue_seconds: {
    type: "gauge",
    help: "How long the oldest scheduled work is overdue: mail, expired attempts, files to check, counts, the night's pruning, and the servers' lease",
    labels: ["of"],
  },
  credential_expires_seconds: {
    type: "gauge",
    help: "Time until the first API key, SAML certificate or SAML metadata expires, by kind; negative if it has expired",
    labels: ["of"],
  },
  tutor_questions_total: {
    type: "counter",
    help: "Questions of the LLM: read, repaired by a second call, or malformed",
    labels: ["outcome"],
  },
  tutor_keys_total: {
    type: "counter",
    help: "Answer keys of the LLM's questions: kept, or dropped because they do not name exactly one option",
    labels: ["outcome"],
  },
  tutor_failed_checks_total: {
    type: "counter",
    help: "Tutor answers that failed a check, by check: corrected by a second call, not shared, or with replaced sentences",
    labels: ["check", "outcome"],
  },
  tutor_warmed_total: {
    type: "counter",
    help: "Pre-generated answers: made, already stored, skipped because no option leads to them, or failed",
    labels: ["outcome"],
  },
  tutor_moves_total: {
    type: "counter",
    help: "Moves of learners instead of an option, such as @hint",
    labels: ["move"],
  },
  prompt_trial_cases_total: {
    type: "counter",
    help: "Finished cases of prompt trials: answered, failed, or skipped",
    labels: ["outcome"],
  },
  llm_batches_total: {
    type: "counter",
    help: "Batches of calls of the LLM that ended: with what was answered, lost, or refused by the provider",
    labels: ["outcome"],
  },
  llm_unknown_stops_total: {
    type: "counter",
    help: "Answers that the LLM ended with an unknown stop reason, by model",
    labels: ["model"],
  },
  llm_problems_total: {
    type: "counter",
    help: "Calls that the LLM rejected for a cause that only an operator can fix",
    labels: ["problem"],
  },
  prompt_rollouts_ended_total: {
    type: "counter",
    help: "Finished rollouts of prompts: promoted, stopped by a person, or stopped by a limit",
    labels: ["outcome"],
  },
  tutor_steps_total: {
    type: "counter",
    help: "Answers of learners to questions with a key: right or wrong",
    labels: ["outcome"],
  },
  tutor_embeddings_total: {
    type: "counter",
    help: "Embeddings of passages, of learners' questions and of quiz questions for measuring: made, refused, or failed",
    labels: ["of", "outcome"],
  },
  tutor_embeddings_tokens_total: {
    type: "counter",
    help: "Tokens read by the embeddings model, for passages and questions",
    labels: ["of"],
  },
  lti_launches_total: {
    type: "counter",
    help: "LTI launches that were accepted, and launches and registrations that were refused, by reason",
    labels: ["outcome"],
  },
  lti_service_calls_total: {
    type: "counter",
    help: "Scores sent to an LMS, rosters read there, and links returned to it, by outcome",
    labels: ["service", "outcome"],
  },
  saml_responses_total: {
    type: "counter",
    help: "SAML sign-ins that succeeded, and sign-ins that were refused, by reason",
    labels: ["outcome"],
  },
  files_uploaded_total: {
    type: "counter",
    help: "Uploaded files, by purpose, ready or refused",
    labels: ["purpose", "outcome"],
  },
  files_uploaded_bytes_total: {
    type: "counter",
    help: "Bytes of files that are ready, by purpose",
    labels: ["purpose"],
  },
  files_stored_bytes: {
    type: "gauge",
    help: "Bytes of universities in the file store, including reserved ones",
    labels: [],
  },
  files_quota_used_ratio: {
    type: "gauge",
    help: "Used share of the file quota of the university with the most files",
    labels: [],
  },
  files_store_used_ratio: {
    type: "gauge",
    help: "Used share of the disk of the file store's folder; absent for a bucket",
    labels: [],
  },
  retention_rows_forgotten_total: {
    type: "counter",
    help: "Rows deleted by the retention policies of universities, by kind",
    labels: ["kind"],
  },
  errors_total: {
    type: "counter",
    help: "Error responses, by kind of error and route",
    labels: ["type", "path"],
  },
} as const satisfies Record<string, MetricFamily>;

type FamilyName = keyof typeof metricFamilies;

export type HistogramName = {
  [Name in FamilyName]: (typeof metricFamilies)[Name]["type"] extends "histogram" ? Name : never;
}[FamilyName];

export function histogramBucket(histogram: HistogramName, seconds: number): string {
  const bound = metricFamilies[histogram].buckets.find((upper) => seconds <= upper);
  return bound === undefined ? "+Inf" : String(bound);
}
