import { Scorm12API, Scorm2004API } from "scorm-again";
import type { FromPlayer, PlayerStart, ToPlayer } from "./player-messages.ts";

/*
 * The page that frames a package, on the origin of packages. It provides the standard's API to the package and
 * posts the runtime data to the application. It knows no token and sends nothing itself.
 */

type Api = InstanceType<typeof Scorm12API> | InstanceType<typeof Scorm2004API>;

/** The application frames this page. Its origin is known once it has sent a message. */
let application: string | undefined;
let api: Api | undefined;

const tell = (message: FromPlayer) => window.parent.postMessage(message, application ?? "*");

window.addEventListener("message", ({ source, origin, data }: MessageEvent<ToPlayer>) => {
  if (source !== window.parent) return;
  if (data.type === "start" && !api) {
    application = origin;
    start(data.start);
  } else if (data.type === "finish") finish();
});

tell({ type: "ready" });

function start(given: PlayerStart): void {
  const made = given.version === "1.2" ? runtime12(given) : runtime2004(given);
  api = made;
  const frame = document.querySelector<HTMLIFrameElement>("#package");
  if (frame) frame.src = `files/${given.path}`;
}

/** Nothing is sent from here, so no address. The application saves often. */
const settings = { autocommit: false, lmsCommitUrl: false, logLevel: 5 } as const;

const runtimeData = (): Record<string, unknown> => {
  const text = JSON.stringify(api?.cmi ?? {});
  return JSON.parse(text) as Record<string, unknown>;
};

let isTold = false;

/** A SCO sets many values in a row. */
function tellSoon(): void {
  if (isTold) return;
  isTold = true;
  setTimeout(() => {
    isTold = false;
    tell({ type: "data", cmi: runtimeData() });
  }, 300);
}

/** Without empty values, which the runtime would reject. */
const filled = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (inner === "" ? [] : [[key, filled(inner)]])),
      )
    : value;

function runtime12({ cmi, learner, launch_data, passing_score }: PlayerStart): Api {
  const made = new Scorm12API(settings);
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
  made.on("LMSCommit", () => tell({ type: "commit", cmi: runtimeData() }));
  made.on("LMSFinish", () => tell({ type: "finished", cmi: runtimeData() }));
  return made;
}

function runtime2004({ cmi, learner, launch_data, passing_score, completion_threshold }: PlayerStart): Api {
  const made = new Scorm2004API(settings);
  const { session_time: _, exit, total_time: __, entry: ___, ...kept } = cmi ?? {};
  made.loadFromJSON(filled(kept) as never, "cmi");
  made.cmi.learner_id = learner.id;
  made.cmi.learner_name = learner.name;
  made.cmi.total_time = `PT${learner.seconds}S`;
  made.cmi.entry = cmi === null ? "ab-initio" : exit === "suspend" ? "resume" : "";
  made.cmi.launch_data = launch_data;
  if (passing_score !== null) made.cmi.scaled_passing_score = String(passing_score);
  if (completion_threshold !== null) made.cmi.completion_threshold = String(completion_threshold);
  (window as { API_1484_11?: unknown }).API_1484_11 = made;
  made.on("SetValue.cmi.*", tellSoon);
  made.on("Commit", () => tell({ type: "commit", cmi: runtimeData() }));
  made.on("Terminate", () => tell({ type: "finished", cmi: runtimeData() }));
  return made;
}

function timespan(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const padded = (part: number, length: number) => String(part).padStart(length, "0");
  return `${padded(Math.min(hours, 9999), 4)}:${padded(minutes, 2)}:${padded(seconds % 60, 2)}`;
}

/** Leaving the package's page lets it finish by itself. If it does not, this page does. */
function finish(): void {
  const frame = document.querySelector<HTMLIFrameElement>("#package");
  if (frame) frame.src = "about:blank";
  setTimeout(() => {
    if (!api || api.isTerminated()) return;
    if (api.isNotInitialized()) tell({ type: "finished", cmi: runtimeData() });
    else api.lmsFinish();
  }, 200);
}
