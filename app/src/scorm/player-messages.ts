/** What the service's `start` contains (lib/integrations/scorm/launch.ts). */
export type PlayerStart = {
  version: "1.2" | "2004";
  is_sco: boolean;
  path: string;
  launch_data: string;
  passing_score: number | null;
  completion_threshold: number | null;
  cmi: Record<string, unknown> | null;
  learner: { id: string; name: string; seconds: number };
};

/** From the application to the player. */
export type ToPlayer = { type: "start"; start: PlayerStart } | { type: "finish" };

/** From the player. `data` follows each change; `commit` and `finished` when the SCO says so. */
export type FromPlayer =
  | { type: "ready" }
  | { type: "data" | "commit" | "finished"; cmi: Record<string, unknown> };
