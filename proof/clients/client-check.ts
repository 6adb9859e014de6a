import type { LearnerScenarioInput } from "./learner-scenario.ts";

/** A kind of client: required tools, and how to generate, compile and run it in its folder. */
export type ClientCheck = {
  name: string;
  tools: readonly string[];
  /** Throws on failure. */
  make(workspace: ClientWorkspace): Promise<void>;
};

export type ClientWorkspace = {
  /** An empty folder for this attempt. */
  folder: string;
  document: string;
  assignment: LearnerScenarioInput;
};
