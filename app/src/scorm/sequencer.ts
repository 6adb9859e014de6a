import { Scorm2004API } from "scorm-again";
import type {
  ActivityTree,
  AllowedNavigation,
  DeliveredItem,
  NavigationRequest,
  SequencingReport,
} from "./player-messages.ts";

/** Nothing is sent from the player, so no address. The application saves often. */
export const scormApiSettings = { autocommit: false, lmsCommitUrl: false, logLevel: 5 } as const;

type Api = InstanceType<typeof Scorm2004API>;
type Settings = NonNullable<ConstructorParameters<typeof Scorm2004API>[0]>;
type Activity = { id: string; isActive: boolean; completionStatus: string };
type DeliveredActivity = { id: string; attemptCount: number };
type Validity = {
  continue: boolean;
  previous: boolean;
  choice: Record<string, "true" | "false">;
  hideLmsUi: readonly string[];
};

export type Sequencer = {
  api: Api;
  /** Starts or resumes. Undefined if the learner has to choose an item. */
  open(launched: DeliveredItem): DeliveredItem | undefined;
  /** Leaves the current item for another one. Undefined if the rules deliver none. */
  navigate(asked: NavigationRequest): DeliveredItem | undefined;
  /** Ends the session for later, unless the SCO asks for something else. */
  suspend(): void;
  /** The item that follows after `run`, which may end a SCO. */
  deliveredBy(run: () => void): DeliveredItem | undefined;
  isOver(): boolean;
  report(): SequencingReport;
};

/** Runs the sequencing of SCORM 2004. Each delivered item has a player page and a sequencer of its own. */
export function createSequencer(
  tree: ActivityTree,
  state: string | null,
  tell: (navigation: AllowedNavigation) => void,
): Sequencer {
  let delivered: DeliveredActivity | undefined;
  let isOver = false;
  const sequencing: Settings["sequencing"] = {
    activityTree: tree,
    autoRollupOnCMIChange: true,
    logLevel: "error",
    eventListeners: {
      onActivityDelivery: ({ id, attemptCount }: DeliveredActivity) => {
        delivered = { id, attemptCount };
        isOver = false;
      },
      onSequencingSessionEnd: () => {
        isOver = true;
      },
      onNavigationValidityUpdate: ({ continue: canContinue, previous, choice, hideLmsUi }: Validity) =>
        tell({
          canContinue: canContinue && !hideLmsUi.includes("continue"),
          canGoBack: previous && !hideLmsUi.includes("previous"),
          choices: Object.keys(choice).filter((id) => choice[id] === "true" && id !== tree.id),
        }),
    },
  };
  const api = new Scorm2004API({ ...scormApiSettings, sequencing });
  const restore = (text: string) => api.deserializeSequencingState(text);
  // After `exitAll` the root is current, and a new session has to start.
  if (state !== null) restore(stateOf(state).currentActivity === tree.id ? withoutCurrent(state) : state);

  const current = (): Activity | null => api.getSequencingState().currentActivity;

  const deliveredBy = (run: () => void): DeliveredItem | undefined => {
    delivered = undefined;
    const { activityStates = {} } = stateOf(api.serializeSequencingState());
    run();
    // The listener assigned it.
    const found = delivered as DeliveredActivity | undefined;
    if (!found) return undefined;
    return { item: found.id, isFresh: found.attemptCount > (activityStates[found.id]?.attemptCount ?? 0) };
  };
  const process = (request: string, target?: string) =>
    deliveredBy(() => api.processNavigationRequest(request, target));

  /** A package that ended, and allows no choice, begins again. */
  const restart = () => {
    restore(withoutCurrent(api.serializeSequencingState()));
    return process("start");
  };

  return {
    api,
    deliveredBy,
    navigate: (asked) => process(asked.request, asked.request === "choice" ? asked.target : undefined),
    isOver: () => isOver,
    open(launched) {
      const left = current();
      if (left?.isActive) {
        api.getSequencingService()?.getOverallSequencingProcess()?.updateNavigationValidity();
        return { item: left.id, isFresh: launched.isFresh };
      }
      const again = () => process("choice", left?.id ?? launched.item);
      const further = () => process("continue");
      const isDone = left?.completionStatus === "completed";
      return (
        process("resumeAll") ??
        process("start") ??
        (isDone ? (further() ?? again()) : (again() ?? further())) ??
        restart()
      );
    },
    suspend() {
      if (api.isInitialized()) {
        if (api.adl.nav.request === "_none_") api.adl.nav.request = "suspendAll";
      } else if (current()?.isActive) process("suspendAll");
    },
    report() {
      const root = api.getActivityTrackingData(tree.id);
      const kept = parseState(api.serializeSequencingState());
      const { currentActivity, suspendedActivity } = kept.sequencing ?? {};
      return {
        state: JSON.stringify(kept),
        next: suspendedActivity ?? currentActivity ?? null,
        completed: root?.completionStatus === "completed",
        passed: root?.successStatus === "passed" ? true : root?.successStatus === "failed" ? false : null,
        scaled: typeof root?.score === "number" ? Math.min(1, Math.max(0, root.score)) : null,
      };
    },
  };
}

type State = {
  currentActivity?: string | null;
  suspendedActivity?: string | null;
  activityStates?: Record<string, { attemptCount: number }>;
};

type Serialized = { sequencing: State | null; suspensionState?: unknown };

/** Without the library's second copy of the tree, which would restore the suspended item. */
function parseState(text: string): Serialized {
  const { suspensionState: _, ...kept } = JSON.parse(text) as Serialized;
  return kept;
}

const stateOf = (text: string): State => parseState(text).sequencing ?? {};

function withoutCurrent(text: string): string {
  const state = parseState(text);
  const sequencing = { ...state.sequencing, currentActivity: null };
  return JSON.stringify({ ...state, currentActivityId: null, sequencing });
}
