import type { Assignment } from "./learner-job.ts";

/** A kind of client: what it takes to make it, and how it is made, compiled and put to work in a folder of its own. */
export type Attempt = {
  name: string;
  /** The tools that have to be there. */
  tools: readonly string[];
  /** Throws what fails. */
  make(workspace: Workspace): Promise<void>;
};

export type Workspace = {
  /** Empty, and the attempt's own. */
  folder: string;
  /** The API document, a file. */
  document: string;
  assignment: Assignment;
};
