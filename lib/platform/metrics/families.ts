type Common = { help: string; labels: readonly string[] };

/** A Prometheus metric family. `buckets` of a histogram are upper bounds in seconds. */
export type Family = Common &
  ({ type: "counter" | "gauge" } | { type: "histogram"; buckets: readonly number[] });

export const families = {
  http_requests_total: {
    type: "counter",
    help: "HTTP requests that were answered, by method, route and status",
    labels: ["method", "path", "status"],
  },
  http_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request to the end of its answer, for a stream to its last event",
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  http_requests_in_progress: {
    type: "gauge",
    help: "HTTP requests that are being answered, by the last report of each instance",
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
    help: "Share of a sequence's numbers that is drawn, of each sequence over half",
    labels: ["sequence"],
  },
  db_behind_seconds: {
    type: "gauge",
    help: "For how long what all universities share is behind: days that are counted for the reports (27 hours are usual), the feed of events, and passages whose meaning is asked for",
    labels: ["of"],
  },
  tutor_questions_total: {
    type: "counter",
    help: "Questions that the LLM asked: read, read when asked for once more (repaired), or malformed",
    labels: ["outcome"],
  },
  tutor_keys_total: {
    type: "counter",
    help: "Keys that the LLM gave with a question: kept, or dropped as they name not exactly one of its options",
    labels: ["outcome"],
  },
  tutor_warmed_total: {
    type: "counter",
    help: "Answers that were to be there before a class comes: made, found stored, left out as nothing offers them, or failed",
    labels: ["outcome"],
  },
  tutor_moves_total: {
    type: "counter",
    help: "Moves that learners made in place of choosing an option, such as @hint",
    labels: ["move"],
  },
  prompt_trial_cases_total: {
    type: "counter",
    help: "Cases of trials of prompts that ended: answered, failed, or skipped",
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
    help: "Rollouts of prompts that ended: promoted, stopped by hand, or by one of their limits (by itself)",
    labels: ["outcome"],
  },
  tutor_steps_total: {
    type: "counter",
    help: "Answers of learners to questions with a key, by whether they were right then",
    labels: ["outcome"],
  },
  tutor_embeddings_total: {
    type: "counter",
    help: "Passages, learners' questions, and those of quizzes by which it is measured, whose meaning a model was asked for: made, refused, or failed",
    labels: ["of", "outcome"],
  },
  tutor_embeddings_tokens_total: {
    type: "counter",
    help: "Tokens that the model of embeddings read, of passages and of questions",
    labels: ["of"],
  },
  lti_launches_total: {
    type: "counter",
    help: "Launches by LTI that were accepted, and launches and registrations that were refused, by why",
    labels: ["outcome"],
  },
  lti_service_calls_total: {
    type: "counter",
    help: "Scores that were sent to an LMS, rosters that were read there, and links that were given it, by what became of them",
    labels: ["service", "outcome"],
  },
  saml_responses_total: {
    type: "counter",
    help: "Responses of identity providers by SAML that signed someone in, and sign-ins that were refused, by why",
    labels: ["outcome"],
  },
  files_uploaded_total: {
    type: "counter",
    help: "Files that were sent, by purpose, and whether they are ready or were refused",
    labels: ["purpose", "outcome"],
  },
  files_uploaded_bytes_total: {
    type: "counter",
    help: "Bytes of the files that became ready, by purpose",
    labels: ["purpose"],
  },
  files_stored_bytes: {
    type: "gauge",
    help: "Bytes that universities have in the file store, or were promised room for",
    labels: [],
  },
  retention_rows_forgotten_total: {
    type: "counter",
    help: "Rows that were forgotten as universities have set it, by kind",
    labels: ["kind"],
  },
  errors_total: {
    type: "counter",
    help: "Answers that are errors, by kind of error and route",
    labels: ["type", "path"],
  },
} as const satisfies Record<string, Family>;

type FamilyName = keyof typeof families;

export type HistogramName = {
  [Name in FamilyName]: (typeof families)[Name]["type"] extends "histogram" ? Name : never;
}[FamilyName];

export function bucketOf(histogram: HistogramName, seconds: number): string {
  const bound = families[histogram].buckets.find((upper) => seconds <= upper);
  return bound === undefined ? "+Inf" : String(bound);
}
