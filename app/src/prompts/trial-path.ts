export type TrialPathParams = { prompt_name: string; version: number; trial_id: number };
