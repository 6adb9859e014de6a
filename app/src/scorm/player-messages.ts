/** An activity of a sequenced package, as the service read it from the manifest. */
export type ActivityTree = { id: string; title: string; isVisible?: boolean; children?: ActivityTree[] };

/** What the service's `start` contains (lib/integrations/scorm/launch.ts). */
export type PlayerStartData = {
  version: "1.2" | "2004";
  is_sco: boolean;
  path: string;
  launch_data: string;
  passing_score: number | null;
  completion_threshold: number | null;
  cmi: Record<string, unknown> | null;
  learner: { id: string; name: string; seconds: number };
  /** Only of a sequenced package. */
  sequencing?: { tree: ActivityTree; state: string | null };
};

/** Of a sequenced package: its state, the item to launch next, and the rolled-up result. */
export type SequencingReport = {
  state: string;
  next: string | null;
  completed: boolean;
  passed: boolean | null;
  scaled: number | null;
};

/** What the learner may do now. */
export type AllowedNavigation = { canContinue: boolean; canGoBack: boolean; choices: string[] };

export type NavigationRequest = { request: "continue" | "previous" } | { request: "choice"; target: string };

/** An item that the rules deliver. A fresh one begins without the data of its last attempt. */
export type DeliveredItem = { item: string; isFresh: boolean };

/** From the application to the player; with the launched item. */
export type MessageToPlayer =
  | ({ type: "start"; start: PlayerStartData } & DeliveredItem)
  | { type: "finish" }
  | ({ type: "navigate" } & NavigationRequest);

type Reported = { cmi: Record<string, unknown>; sequencing?: SequencingReport };

/**
 * From the player. `data` follows each change; `commit` and `finished` when the SCO says so. `go` names the item
 * that follows, `isOver` says that the package ended. `moved`: the sequencer delivers another item than the launched
 * one.
 */
export type MessageFromPlayer =
  | { type: "ready" }
  | ({ type: "data" | "commit" } & Reported)
  | ({ type: "finished"; go?: DeliveredItem; isOver: boolean } & Reported)
  | { type: "navigation"; navigation: AllowedNavigation }
  | { type: "moved"; go: DeliveredItem; state: string };
