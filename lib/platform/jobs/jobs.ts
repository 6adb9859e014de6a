/*
 * All background jobs. A server runs each in its own rounds; on Lambda the schedule calls functions.
 * server/schedule.ts and each function's handler bind the work, so functions bundle only their own jobs. A
 * job that calls the LLM needs its own function, with chat's time and memory.
 */

/** An interval, or once a day after a UTC time. */
export type JobCadence = { everySeconds: number } | { dailyAt: `${number}:${number}` };

export type Job = {
  /** The job's key. Daily jobs record their last run under it in `scheduled_tasks`. */
  name: string;
  onServer: JobCadence;
  /** Its folder in functions/. */
  function: string;
  /**
   * A job called each minute reads the database only as lib/platform/schedule/pace.ts allows. Undefined: it
   * only follows another job.
   */
  called?: JobCadence;
  /** The job stops when its function has this time left to finish its current work. */
  reserveSeconds: number;
  /** The same call runs these next, also after a failure. On a server each has its own rounds. */
  followedBy?: readonly string[];
};

/** When traffic is lowest. */
const atNight = { dailyAt: "03:30" } as const;

const eachMinute = { everySeconds: 60 } as const;

const table = {
  /** Notifies classes of announcements and dates, and queues the mail. */
  notifications: {
    onServer: { everySeconds: 15 },
    function: "mail",
    called: eachMinute,
    reserveSeconds: 45,
    followedBy: ["outlines", "mail"],
  },
  /** Recomputes progress in courses whose outline was edited. */
  outlines: { onServer: { everySeconds: 15 }, function: "mail", reserveSeconds: 45 },
  /** The reserve covers a mail server that does not respond. */
  mail: { onServer: { everySeconds: 2 }, function: "mail", reserveSeconds: 45 },
  /** Closes and grades attempts whose time is up. */
  quiz_deadlines: {
    onServer: { everySeconds: 15 },
    function: "quiz-deadlines",
    called: eachMinute,
    reserveSeconds: 30,
  },
  imports: {
    onServer: { everySeconds: 5 },
    function: "imports",
    called: eachMinute,
    reserveSeconds: 30,
  },
  files: {
    onServer: { everySeconds: 5 },
    function: "file-checks",
    called: eachMinute,
    reserveSeconds: 30,
    followedBy: ["cartridges", "file_texts", "file_pruning", "retention"],
  },
  cartridges: { onServer: { everySeconds: 2 }, function: "file-checks", reserveSeconds: 60 },
  /** Extracts text of learners' documents for the tutor. */
  file_texts: { onServer: { everySeconds: 5 }, function: "file-checks", reserveSeconds: 60 },
  /** Deletes unreferenced files, and their bytes a week later. */
  file_pruning: { onServer: { everySeconds: 300 }, function: "file-checks", reserveSeconds: 30 },
  /** Once a week per university. Waits ten seconds for the file store. */
  retention: { onServer: { everySeconds: 300 }, function: "file-checks", reserveSeconds: 30 },
  /** Stops prompt rollouts by their limits, and warms topics of promoted prompts. */
  rollouts: {
    onServer: { everySeconds: 60 },
    function: "warming",
    called: eachMinute,
    reserveSeconds: 30,
    followedBy: ["warming", "embeddings"],
  },
  /** Generates a topic's answers before class. */
  warming: { onServer: { everySeconds: 5 }, function: "warming", reserveSeconds: 30 },
  /** If a model is configured. A step takes a minute at most. */
  embeddings: { onServer: { everySeconds: 15 }, function: "warming", reserveSeconds: 90 },
  /** A call of the LLM takes two minutes at most. */
  trials: {
    onServer: { everySeconds: 2 },
    function: "trials",
    called: eachMinute,
    reserveSeconds: 150,
  },
  /** Sends grades to LMS gradebooks. A request takes ten seconds at most. */
  lti_scores: {
    onServer: { everySeconds: 5 },
    function: "lti-services",
    called: eachMinute,
    reserveSeconds: 150,
    followedBy: ["lti_rosters", "one_roster"],
  },
  /** On request, or once a night. */
  lti_rosters: { onServer: { everySeconds: 15 }, function: "lti-services", reserveSeconds: 30 },
  /** Reads OneRoster services on request, or once a night. A page takes half a minute at most. */
  one_roster: { onServer: { everySeconds: 15 }, function: "lti-services", reserveSeconds: 60 },
  /** Prunes the tree of stored answers. */
  prune: { onServer: atNight, function: "cache-cleanup", called: atNight, reserveSeconds: 10 },
  expired_rows: {
    onServer: atNight,
    function: "maintenance",
    called: atNight,
    reserveSeconds: 10,
    followedBy: ["upkeep"],
  },
  /**
   * Finishes erasures, releases reservations of lost LLM calls and counts for reports. Frequent, so each
   * round stays small.
   */
  upkeep: {
    onServer: { everySeconds: 300 },
    function: "maintenance",
    called: { everySeconds: 1800 },
    reserveSeconds: 10,
    followedBy: ["saml_metadata"],
  },
  /** Refreshes metadata of identity providers. Waits ten seconds for each address. */
  saml_metadata: { onServer: { everySeconds: 300 }, function: "maintenance", reserveSeconds: 20 },
} as const satisfies Record<string, Omit<Job, "name">>;

export type JobName = keyof typeof table;

export const jobs = Object.fromEntries(
  Object.entries(table).map(([name, job]) => [name, { name, ...job }]),
) as Record<JobName, Job>;

/** Works until its signal aborts or nothing is left. */
export type JobWork = (signal: AbortSignal) => Promise<unknown>;
