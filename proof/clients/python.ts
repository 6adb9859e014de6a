import path from "node:path";
import type { ClientKind } from "./client-kind.ts";
import { generate, generatorTools } from "./generator.ts";
import { expectJobResult, learnerJobArguments } from "./learner-job.ts";
import { run } from "./toolchain.ts";

export const python: ClientKind = {
  name: "Python",
  tools: [...generatorTools, "python3"],
  async make(workspace) {
    const { folder, assignment } = workspace;
    await generate(workspace, "python");
    await run(folder, "python3", "-m", "venv", "environment");
    const interpreter = path.join(folder, "environment/bin/python");
    await run(folder, interpreter, "-m", "pip", "install", "--quiet", ".", "mypy");
    await run(folder, interpreter, "-m", "compileall", "-q", "openapi_client");
    const program = path.join(import.meta.dirname, "programs/learner.py");
    await run(folder, interpreter, "-m", "mypy", "--follow-imports=silent", program);
    expectJobResult(await run(folder, interpreter, program, ...learnerJobArguments(assignment)));
  },
};
