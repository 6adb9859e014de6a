import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientCheck } from "./client-check.ts";
import { expectLearnerScenarioOutput, learnerScenarioArguments } from "./learner-scenario.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

/** The client's import path. */
const names = { project_name_override: "learning-platform", package_name_override: "learning_platform" };

export const openapiPythonClientCheck: ClientCheck = {
  name: "openapi-python-client",
  tools: ["python3"],
  async make({ folder, document, assignment }) {
    await runCommandRejectingWarnings(folder, "python3", "-m", "venv", "environment");
    const tools = path.join(folder, "environment/bin");
    const interpreter = path.join(tools, "python");
    const packages = ["openapi-python-client==0.29.1", "mypy"];
    await runCommandRejectingWarnings(folder, interpreter, "-m", "pip", "install", "--quiet", ...packages);
    await writeFile(path.join(folder, "names.yaml"), JSON.stringify(names));
    // The generator formats its output with a tool that must be on PATH.
    const everyProgram = `PATH=${tools}${path.delimiter}${process.env["PATH"]}`;
    const generator = ["openapi-python-client", "generate", "--config", "names.yaml"];
    await runCommandRejectingWarnings(
      folder,
      "env",
      everyProgram,
      ...generator,
      "--path",
      document,
      "--output-path",
      "client",
    );
    await runCommandRejectingWarnings(folder, interpreter, "-m", "pip", "install", "--quiet", "./client");
    await runCommandRejectingWarnings(
      folder,
      interpreter,
      "-W",
      "error",
      "-m",
      "compileall",
      "-q",
      "client/learning_platform",
    );
    const program = path.join(import.meta.dirname, "programs/learner_httpx.py");
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
