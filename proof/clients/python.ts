import path from "node:path";
import type { ClientKind } from "./client-kind.ts";
import { generateClient, generatorTools } from "./generator.ts";
import { expectJobResult, learnerJobArguments } from "./learner-job.ts";
import { runCommand } from "./toolchain.ts";

export const pythonClient: ClientKind = {
  name: "Python",
  tools: [...generatorTools, "python3"],
  async make(workspace) {
    const { folder, assignment } = workspace;
    await generateClient(workspace, "python");
    await runCommand(folder, "python3", "-m", "venv", "environment");
    const interpreter = path.join(folder, "environment/bin/python");
    await runCommand(folder, interpreter, "-m", "pip", "install", "--quiet", ".", "mypy");
    await runCommand(folder, interpreter, "-m", "compileall", "-q", "openapi_client");
    const program = path.join(import.meta.dirname, "programs/learner.py");
    await runCommand(folder, interpreter, "-m", "mypy", "--follow-imports=silent", program);
    expectJobResult(await runCommand(folder, interpreter, program, ...learnerJobArguments(assignment)));
  },
};
