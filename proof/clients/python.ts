import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { generateClient, openApiGeneratorTools } from "./generator.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

export const pythonClientCheck: ClientCheck = {
  name: "Python",
  tools: [...openApiGeneratorTools, "python3"],
  async make(workspace) {
    const { folder, assignment } = workspace;
    await generateClient(workspace, "python");
    await runCommandRejectingWarnings(folder, "python3", "-m", "venv", "environment");
    const interpreter = path.join(folder, "environment/bin/python");
    await runCommandRejectingWarnings(folder, interpreter, "-m", "pip", "install", "--quiet", ".", "mypy");
    await runCommandRejectingWarnings(folder, interpreter, "-m", "compileall", "-q", "openapi_client");
    const program = path.join(import.meta.dirname, "programs/learner.py");
    await runCommandRejectingWarnings(folder, interpreter, "-m", "mypy", "--follow-imports=silent", program);
    expectLearnerScenarioOutput(
      await runCommandRejectingWarnings(
        folder,
        interpreter,
        program,
        ...learnerScenarioArguments(assignment),
      ),
    );
  },
};
