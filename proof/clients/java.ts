import { cp } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { generateClient, openApiGeneratorTools } from "./generator.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

const properties = [
  "groupId=platform",
  "artifactId=client",
  "invokerPackage=platform",
  "apiPackage=platform.api",
  "modelPackage=platform.model",
  // Calls name their parameters, so new ones break no program.
  "useSingleRequestParameter=true",
];

export const javaClientCheck: ClientCheck = {
  name: "Java",
  tools: openApiGeneratorTools,
  async make(workspace) {
    const { folder, assignment } = workspace;
    await generateClient(workspace, "java", `--additional-properties=${properties.join(",")}`);
    const program = path.join(import.meta.dirname, "programs/Learner.java");
    await cp(program, path.join(folder, "src/main/java/Learner.java"));
    await runCommandRejectingWarnings(
      folder,
      "mvn",
      ...["-q", "-B", "-DskipTests", "compile", "dependency:copy-dependencies"],
      "-DoutputDirectory=libraries",
    );
    const classes = ["target/classes", "libraries/*"].join(path.delimiter);
    expectLearnerScenarioOutput(
      await runCommandRejectingWarnings(
        folder,
        "java",
        "-cp",
        classes,
        "Learner",
        ...learnerScenarioArguments(assignment),
      ),
    );
  },
};
