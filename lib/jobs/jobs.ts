/*
 * All that the service does by itself, as data alone: a server does each job in rounds of its own, and on Lambda the
 * schedule calls a function. What a job does is bound where it runs, in server/schedule.ts and in its function's handler,
 * so that no function carries the work of another. A job that calls the LLM is to have a function of its own, with the
 * time and the memory of chat's.
 */

/** So many seconds after the last time, or once a day after a time of UTC. */
export type Cadence = { everySeconds: number } | { dailyAt: `${number}:${number}` };

export type Job = {
  /** Its key in the table. What is done once a day is noted under it in `scheduled_tasks`. */
  name: string;
  /** How often a server does it. */
  onServer: Cadence;
  /** The folder in functions/ of the function that does it. */
  function: string;
  /**
   * How often the schedule calls that function for it: a job that is called each minute looks into the database only as
   * lib/schedule/pace.ts says. Without it, it only follows another.
   */
  called?: Cadence;
  /** How much of the function's time is left when it stops, for what is under way then. */
  reserveSeconds: number;
  /** The jobs that the same call does next, also where this one failed. On a server each has rounds of its own. */
  followedBy?: readonly string[];
};

/** When hardly anyone is there. */
const atNight = { dailyAt: "03:30" } as const;

const eachMinute = { everySeconds: 60 } as const;

const table = {
  /** Tells classes of announcements and dates, and queues the mail that says so. */
  notifications: {
    onServer: { everySeconds: 15 },
    function: "mail",
    called: eachMinute,
    reserveSeconds: 45,
    followedBy: ["outlines", "mail"],
  },
  /** Looks anew at how far the people are whose course's outline was edited. */
  outlines: { onServer: { everySeconds: 15 }, function: "mail", reserveSeconds: 45 },
  /** Sends the mail in the outbox; what is left of its time is for a mail server that does not answer. */
  mail: { onServer: { everySeconds: 2 }, function: "mail", reserveSeconds: 45 },
  /** Closes the attempts at quizzes whose time is up, and grades them. */
  quiz_deadlines: {
    onServer: { everySeconds: 15 },
    function: "quiz-deadlines",
    called: eachMinute,
    reserveSeconds: 30,
  },
  /** Works on what imports have left. */
  imports: {
    onServer: { everySeconds: 5 },
    function: "imports",
    called: eachMinute,
    reserveSeconds: 30,
  },
  /** Hashes and scans the files that were sent. */
  files: {
    onServer: { everySeconds: 5 },
    function: "file-checks",
    called: eachMinute,
    reserveSeconds: 30,
    followedBy: ["cartridges", "file_texts", "file_pruning", "retention"],
  },
  /** Reads cartridges, and writes their parts into courses. */
  cartridges: { onServer: { everySeconds: 2 }, function: "file-checks", reserveSeconds: 60 },
  /** Reads the texts of documents that learners are shown, for their tutor. */
  file_texts: { onServer: { everySeconds: 5 }, function: "file-checks", reserveSeconds: 60 },
  /** Deletes files that nobody keeps, and their bytes a week later. */
  file_pruning: { onServer: { everySeconds: 300 }, function: "file-checks", reserveSeconds: 30 },
  /** Forgets what universities have set to be forgotten, where their week is over; the file store is waited for ten seconds. */
  retention: { onServer: { everySeconds: 300 }, function: "file-checks", reserveSeconds: 30 },
  /** Stops rollouts of prompts by their limits, and begins to warm the topics of those that were promoted. */
  rollouts: {
    onServer: { everySeconds: 60 },
    function: "warming",
    called: eachMinute,
    reserveSeconds: 30,
    followedBy: ["warming", "embeddings"],
  },
  /** Makes the tutor's answers of a topic before a class comes. */
  warming: { onServer: { everySeconds: 5 }, function: "warming", reserveSeconds: 30 },
  /** Asks the model of embeddings what passages mean, where there is one; a step takes a minute at most. */
  embeddings: { onServer: { everySeconds: 15 }, function: "warming", reserveSeconds: 90 },
  /** Asks the LLM for the cases of trials of prompts; a call takes two minutes at most. */
  trials: {
    onServer: { everySeconds: 2 },
    function: "trials",
    called: eachMinute,
    reserveSeconds: 150,
  },
  /** Sends grades to the columns that LMSs have for them; a request takes ten seconds at most. */
  lti_scores: {
    onServer: { everySeconds: 5 },
    function: "lti-services",
    called: eachMinute,
    reserveSeconds: 150,
    followedBy: ["lti_rosters"],
  },
  /** Reads the rosters of LMSs, of which each is asked for, or due once a night. */
  lti_rosters: { onServer: { everySeconds: 15 }, function: "lti-services", reserveSeconds: 30 },
  /** Prunes the tree of stored answers. */
  prune: { onServer: atNight, function: "cache-cleanup", called: atNight, reserveSeconds: 10 },
  /** Deletes what has been kept for long enough. */
  expired_rows: {
    onServer: atNight,
    function: "maintenance",
    called: atNight,
    reserveSeconds: 10,
    followedBy: ["upkeep"],
  },
  /** Ends erasures, gives back what lost calls reserved, and counts for reports: so often that it never is much. */
  upkeep: {
    onServer: { everySeconds: 300 },
    function: "maintenance",
    called: { everySeconds: 1800 },
    reserveSeconds: 10,
    followedBy: ["saml_metadata"],
  },
  /** Reads the metadata of identity providers anew; an address is waited for ten seconds. */
  saml_metadata: { onServer: { everySeconds: 300 }, function: "maintenance", reserveSeconds: 20 },
} as const satisfies Record<string, Omit<Job, "name">>;

export type JobName = keyof typeof table;

export const jobs = Object.fromEntries(
  Object.entries(table).map(([name, job]) => [name, { name, ...job }]),
) as Record<JobName, Job>;

/** What a job does until its signal, or until nothing is left. */
export type Verb = (signal: AbortSignal) => Promise<unknown>;
