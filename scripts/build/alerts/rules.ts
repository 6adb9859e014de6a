export type AlertRule = {
  /** Stable: Grafana updates the rule with this id. */
  id: string;
  title: string;
  /** A critical alert is for the person on call, a warning for the next working day. */
  severity: "critical" | "warning";
  /** When it fires. */
  summary: string;
  /** A quoted symptom is a row of "At night" in docs/operations.md. */
  remedy: string;
  expression: string;
  comparison: ">" | "<";
  threshold: number;
  /** How long the condition must hold. */
  minutes: number;
};

const day = 86_400;

export const alertRules: readonly AlertRule[] = [
  {
    id: "lp-silent",
    severity: "critical",
    title: "The service says nothing",
    summary: "Prometheus cannot read /metrics",
    remedy: 'See "Nobody gets an answer".',
    expression: 'sum(up{job="learning-platform"}) or vector(0)',
    ...{ comparison: "<", threshold: 1, minutes: 5 },
  },
  {
    id: "lp-failures",
    severity: "critical",
    title: "Requests fail",
    summary: "More than 2 of 100 requests end in 5xx",
    remedy: 'See "Many requests fail".',
    expression: 'sum(rate(http_requests_total{status=~"5.."}[5m])) / sum(rate(http_requests_total[5m]))',
    ...{ comparison: ">", threshold: 0.02, minutes: 5 },
  },
  {
    id: "lp-faults",
    severity: "critical",
    title: "The service has a fault",
    summary: "A request ended in a 500, which is always a fault of the service",
    remedy: 'See "Many requests fail": the log has the stack. Report it with the request\'s id.',
    expression: 'sum(increase(errors_total{type="internal"}[10m]))',
    ...{ comparison: ">", threshold: 0, minutes: 0 },
  },
  {
    id: "lp-slow",
    severity: "critical",
    title: "Answers are slow",
    summary: "One request of twenty takes longer than ten seconds, including the tutor's answers",
    remedy: 'See "Everything is slow".',
    expression: "histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[10m])))",
    ...{ comparison: ">", threshold: 10, minutes: 10 },
  },
  {
    id: "lp-database",
    severity: "critical",
    title: "The database is slow",
    summary: "One statement of twenty takes longer than half a second",
    remedy: 'See "Everything is slow": query 1 shows what blocks statements.',
    expression: "histogram_quantile(0.95, sum by (le) (rate(db_query_duration_seconds_bucket[10m])))",
    ...{ comparison: ">", threshold: 0.5, minutes: 10 },
  },
  {
    id: "lp-unavailable",
    severity: "critical",
    title: "A dependency is unavailable",
    summary: "The database, the file store, the LLM or the credential store does not answer",
    remedy: 'See "The tutor does not answer", and run `npm run doctor`, which tests each of them.',
    expression: 'sum(rate(errors_total{type="unavailable"}[5m]))',
    ...{ comparison: ">", threshold: 0.1, minutes: 5 },
  },
  {
    id: "lp-questions",
    severity: "warning",
    title: "Questions of the tutor cannot be read",
    summary: "More than 5 of 100 of the tutor's questions stay unreadable after a second call",
    remedy: 'See "Learners are asked nothing".',
    expression:
      'sum(increase(tutor_questions_total{outcome="malformed"}[1h])) / (sum(increase(tutor_questions_total[1h])) > 20)',
    ...{ comparison: ">", threshold: 0.05, minutes: 10 },
  },
  {
    id: "lp-llm-key",
    severity: "critical",
    title: "The LLM rejects the service's account",
    summary: "The provider rejects calls because of the key, the credit, the model or the prompt's length",
    remedy: 'See "The tutor answers 503 without": the alert in the log has the remedy.',
    expression: "sum by (problem) (increase(llm_problems_total[15m]))",
    ...{ comparison: ">", threshold: 0, minutes: 0 },
  },
  {
    id: "lp-schedule",
    severity: "critical",
    title: "Scheduled work has stopped",
    summary: "Work of the schedule is overdue by two hours: the label `of` names it",
    remedy:
      'See "Scheduled work failed". `mail`: the outbox; `attempts`: expired quiz attempts; `files`: files to check, ' +
      "perhaps without a scanner; `counts`, `night`: counting for reports, and pruning; `lease`: no server process runs the schedule.",
    expression: "max by (of) (schedule_overdue_seconds)",
    ...{ comparison: ">", threshold: 7200, minutes: 10 },
  },
  {
    id: "lp-store",
    severity: "warning",
    title: "The file store fills",
    summary: "The disk of the folder in FILE_STORE is used by more than 85 %",
    remedy:
      "Enlarge the disk, or lower FILE_QUOTA_GB. Uploads answer 503 when it is full. Deleted files leave it after a week.",
    expression: "max(files_store_used_ratio)",
    ...{ comparison: ">", threshold: 0.85, minutes: 30 },
  },
  {
    id: "lp-quota",
    severity: "warning",
    title: "A university's file quota fills",
    summary: "A university uses more than 90 % of FILE_QUOTA_GB",
    remedy:
      "`select * from file_usage order by bytes desc limit 5` names it. Raise FILE_QUOTA_GB, or ask its administrators to delete files. At 100 % its uploads answer 400.",
    expression: "max(files_quota_used_ratio)",
    ...{ comparison: ">", threshold: 0.9, minutes: 30 },
  },
  {
    id: "lp-disk",
    severity: "critical",
    title: "A disk fills",
    summary:
      "A disk has less than 15 % left, for example the database's; needs Prometheus' node_exporter there",
    remedy:
      "Enlarge the disk. A full disk makes PostgreSQL reject writes, and reads continue. Check `pg_wal` and old replication slots: `select * from pg_replication_slots`.",
    expression:
      'min by (instance, mountpoint) (node_filesystem_avail_bytes{fstype!~"tmpfs|overlay|squashfs"} / node_filesystem_size_bytes)',
    ...{ comparison: "<", threshold: 0.15, minutes: 30 },
  },
  {
    id: "lp-sequence",
    severity: "warning",
    title: "Numbers of a table run out",
    summary: "A sequence used more than 75 % of its numbers: the label `sequence` names it",
    remedy:
      "After the last number, each insert into its table fails. Widen the column in a release before that.",
    expression: "max by (sequence) (db_sequence_used_ratio)",
    ...{ comparison: ">", threshold: 0.75, minutes: 60 },
  },
  {
    id: "lp-credentials",
    severity: "warning",
    title: "A certificate, key or document expires",
    summary: "Less than fourteen days remain: the label `of` names the kind",
    remedy:
      "`npm run doctor` names each one. `api_keys`: an administrator of the university creates a new key. `saml_provider`, `saml_metadata`: " +
      "the provider's operators publish the next certificate or document. `saml_own`: change the service's key in steps, see Sign in by SAML.",
    expression: "min by (of) (credential_expires_seconds)",
    ...{ comparison: "<", threshold: 14 * day, minutes: 60 },
  },
];

/** The alarms of plugins/alarms.mjs by name, without the number of a group of functions. */
export const awsAlarms: Readonly<Record<string, { summary: string; remedy: string }>> = {
  FunctionErrors: { summary: "Functions fail", remedy: 'See "Many requests fail".' },
  FunctionThrottles: {
    summary: "Lambda rejects calls of functions",
    remedy: "Ask AWS for more concurrency, or change `chatConcurrency` and `concurrency`, see Scale.",
  },
  FunctionDuration: {
    summary: "An answer takes over 25 seconds; API Gateway gives up after 29",
    remedy: 'See "Everything is slow".',
  },
  GatewayFailures: { summary: "API Gateway answers with 5xx", remedy: 'See "Many requests fail".' },
  RequestsNearThrottle: {
    summary: "Requests reach four fifths of `throttleRate`",
    remedy: "Raise `throttleRate`, or block a flood: see What an attack looks like.",
  },
  FunctionsNearLimit: {
    summary: "Concurrent functions reach four fifths of the account's limit",
    remedy: "Ask AWS for more concurrency, and set `functionsAtOnce`.",
  },
  ScheduleStopped: {
    summary: "A function of the schedule was not called for an hour",
    remedy: "Check whether its rule is enabled in EventBridge, then deploy again.",
  },
  ScheduleFailures: { summary: "Scheduled work failed", remedy: 'See "Scheduled work failed".' },
};
