import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { generateClient, openApiGeneratorTools } from "./generator.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

/** Together they form the client's import path. */
const module = ["--git-host", "example.edu", "--git-user-id", "learning", "--git-repo-id", "platform"];

export const goClientCheck: ClientCheck = {
  name: "Go",
  tools: [...openApiGeneratorTools, "go"],
  async make(workspace) {
    const { folder, assignment } = workspace;
    await generateClient(workspace, "go", ...module, "--additional-properties=packageName=platform");
    const program = path.join(folder, "learner");
    await mkdir(program);
    await cp(path.join(import.meta.dirname, "programs/learner.go"), path.join(program, "main.go"));
    await runCommandRejectingWarnings(folder, "go", "build", "./...");
    expectLearnerScenarioOutput(
      await runCommandRejectingWarnings(
        folder,
        "go",
        "run",
        "./learner",
        ...learnerScenarioArguments(assignment),
      ),
    );
  },
};
