import { Scorm12API, Scorm2004API } from "scorm-again";
import type {
  AllowedNavigation,
  DeliveredItem,
  MessageFromPlayer,
  MessageToPlayer,
  NavigationRequest,
  PlayerStartData,
} from "./player-messages.ts";
import { createSequencer, type Sequencer, scormApiSettings } from "./sequencer.ts";

/*
 * The page that frames a package, on the origin of packages. It provides the standard's API to the package and
 * posts the runtime data to the application. It knows no token and sends nothing itself.
 */

type Api2004 = InstanceType<typeof Scorm2004API>;
type Api = InstanceType<typeof Scorm12API> | Api2004;

/** The application frames this page. Its origin is known once it has sent a message. */
let application: string | undefined;
let api: Api | undefined;
let sequencer: Sequencer | undefined;

const tell = (message: MessageFromPlayer) => window.parent.postMessage(message, application ?? "*");

window.addEventListener("message", ({ source, origin, data }: MessageEvent<MessageToPlayer>) => {
  if (source !== window.parent) return;
  if (data.type === "start" && !application) {
    application = origin;
    start(data.start, data);
  } else if (data.type === "finish") finish();
  else if (data.type === "navigate") navigate(data);
});

tell({ type: "ready" });

function start(given: PlayerStartData, launched: DeliveredItem): void {
  if (given.sequencing) {
    startSequenced(given, given.sequencing, launched);
    return;
  }
  api = given.version === "1.2" ? runtime12(given) : runtime2004(given, new Scorm2004API(scormApiSettings));
  if (api instanceof Scorm2004API) api.on("Terminate", () => tellFinished());
  show(`files/${given.path}`);
}

function startSequenced(
  given: PlayerStartData,
  { tree, state }: NonNullable<PlayerStartData["sequencing"]>,
  launched: DeliveredItem,
): void {
  const made = createSequencer(tree, state, tellNavigation);
  const go = made.open(launched);
  if (go && go.item !== launched.item) {
    tell({ type: "moved", go, state: made.report().state });
    return;
  }
  sequencer = made;
  api = runtime2004({ ...given, cmi: go?.isFresh ? null : given.cmi }, made.api);
  // The event of the termination comes before the sequencing.
  const terminate = made.api.Terminate;
  made.api.Terminate = (parameter) => {
    let result = "false";
    const next = made.deliveredBy(() => {
      result = terminate.call(made.api, parameter);
    });
    if (result === "true") tellFinished(next);
    return result;
  };
  if (go) show(`files/${given.path}`);
}

const tellNavigation = (navigation: AllowedNavigation) => tell({ type: "navigation", navigation });

function show(address: string): void {
  const frame = document.querySelector<HTMLIFrameElement>("#package");
  if (frame) frame.src = address;
}

const runtimeData = (): Record<string, unknown> => {
  const text = JSON.stringify(api?.cmi ?? {});
  return JSON.parse(text) as Record<string, unknown>;
};

const reported = (cmi = runtimeData()) => ({ cmi, ...(sequencer && { sequencing: sequencer.report() }) });

const tellFinished = (go?: DeliveredItem, cmi?: Record<string, unknown>) =>
  tell({ type: "finished", ...reported(cmi), ...(go && { go }), isOver: sequencer?.isOver() ?? true });

let isTold = false;

/** A SCO sets many values in a row. */
function tellSoon(): void {
  if (isTold) return;
  isTold = true;
  setTimeout(() => {
    isTold = false;
    tell({ type: "data", ...reported() });
  }, 300);
}

/** Without empty values, which the runtime would reject. */
const filled = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (inner === "" ? [] : [[key, filled(inner)]])),
      )
    : value;

function runtime12({ cmi, learner, launch_data, passing_score }: PlayerStartData): Api {
  const made = new Scorm12API(scormApiSettings);
  const { core = {}, ...others } = (cmi ?? {}) as { core?: Record<string, unknown> };
  const { session_time: _, exit, total_time: __, entry: ___, ...kept } = core;
  made.loadFromJSON(filled({ ...others, core: kept }) as never, "cmi");
  made.cmi.core.student_id = learner.id;
  made.cmi.core.student_name = learner.name;
  made.cmi.core.total_time = timespan(learner.seconds);
  made.cmi.core.credit = "credit";
  made.cmi.core.entry = cmi === null ? "ab-initio" : exit === "suspend" ? "resume" : "";
  made.cmi.launch_data = launch_data;
  if (passing_score !== null) made.cmi.student_data.mastery_score = String(passing_score * 100);
  (window as { API?: unknown }).API = made;
  made.on("LMSSetValue.cmi.*", tellSoon);
  made.on("LMSCommit", () => tell({ type: "commit", ...reported() }));
  made.on("LMSFinish", () => tellFinished());
  return made;
}

function runtime2004(
  { cmi, learner, launch_data, passing_score, completion_threshold, sequencing }: PlayerStartData,
  made: Api2004,
): Api {
  const { session_time: _, exit, total_time: __, entry: ___, ...kept } = cmi ?? {};
  made.loadFromJSON(filled(kept) as never, "cmi");
  made.cmi.learner_id = learner.id;
  made.cmi.learner_name = learner.name;
  made.cmi.total_time = `PT${learner.seconds}S`;
  // A sequenced SCO that is no fresh one was suspended, by itself or with the package.
  made.cmi.entry = cmi === null ? "ab-initio" : exit === "suspend" || sequencing ? "resume" : "";
  made.cmi.launch_data = launch_data;
  if (passing_score !== null) made.cmi.scaled_passing_score = String(passing_score);
  if (completion_threshold !== null) made.cmi.completion_threshold = String(completion_threshold);
  (window as { API_1484_11?: unknown }).API_1484_11 = made;
  made.on("SetValue.cmi.*", tellSoon);
  made.on("Commit", () => tell({ type: "commit", ...reported() }));
  return made;
}

function timespan(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const padded = (part: number, length: number) => String(part).padStart(length, "0");
  return `${padded(Math.min(hours, 9999), 4)}:${padded(minutes, 2)}:${padded(seconds % 60, 2)}`;
}

/** A package has this time to finish by itself once its page is left. */
const leavingMs = 200;

/** Leaving the package's page lets it finish by itself. If it does not, this page does. */
function finish(): void {
  const wasRunning = api?.isInitialized() ?? false;
  sequencer?.suspend();
  show("about:blank");
  setTimeout(() => {
    if (!api) return;
    if (api.isInitialized()) terminate(api);
    else if (!wasRunning && (sequencer || api.isNotInitialized()))
      tell({ type: "finished", ...reported(), isOver: true });
  }, leavingMs);
}

const terminate = (running: Api) =>
  running instanceof Scorm2004API ? running.Terminate("") : running.lmsFinish();

/** A running SCO ends first. Its own request has precedence. */
function navigate(asked: NavigationRequest): void {
  const running = sequencer?.api;
  if (!running) return;
  const cmi = runtimeData();
  const wasRunning = running.isInitialized();
  if (wasRunning && running.adl.nav.request === "_none_")
    running.adl.nav.request = asked.request === "choice" ? `{target=${asked.target}}choice` : asked.request;
  show("about:blank");
  setTimeout(() => {
    if (running.isInitialized()) running.Terminate("");
    else if (!wasRunning) tellFinished(sequencer?.navigate(asked), cmi);
  }, leavingMs);
}
