import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";

const settings = {
  package: "platform",
  output: "platform/platform.go",
  generate: { models: true, client: true },
  // No response refers to a stream's events, which are text content, so they would be pruned.
  "output-options": { "skip-prune": true },
};

export const oapiCodegenClientCheck: ClientCheck = {
  name: "oapi-codegen",
  tools: ["go"],
  async make({ folder, document, assignment }) {
    const program = path.join(folder, "learner");
    for (const part of [program, path.join(folder, "platform")]) await mkdir(part);
    await writeFile(path.join(folder, "settings.yaml"), JSON.stringify(settings));
    await runCommandRejectingWarnings(folder, "go", "mod", "init", "example.edu/learning");
    await runCommandRejectingWarnings(folder, "go", "run", generator, "-config", "settings.yaml", document);
    await cp(path.join(import.meta.dirname, "programs/learner_oapi.go"), path.join(program, "main.go"));
    await runCommandRejectingWarnings(folder, "go", "mod", "tidy");
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
