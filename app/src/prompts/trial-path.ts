/** A trial of a version, as the service is asked about it. */
export type TrialPath = { prompt_name: string; version: number; trial_id: number };
