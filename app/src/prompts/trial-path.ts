export type TrialPath = { prompt_name: string; version: number; trial_id: number };
