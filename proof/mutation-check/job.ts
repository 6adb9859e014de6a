/** A process that runs test files with mutants for pool.ts, with its own Vitest and PostgreSQL. */
import type { Mutant } from "./mutant.ts";
import { injectedMutation } from "./plugin.ts";
import { probesByFile } from "./probes.ts";
import { type TestFile, VitestSession } from "./vitest-session.ts";

export type JobSettings = { tests: "test" | "test:all"; bails: boolean; observes?: readonly Mutant[] };

export type JobRequest = { settings: JobSettings } | { mutants: Mutant[]; files: TestFile[] };

let session: VitestSession | undefined;

async function answer(request: JobRequest): Promise<unknown> {
  if ("settings" in request) {
    const { bails, observes } = request.settings;
    session = await VitestSession.open({ bails });
    if (observes) {
      injectedMutation.probes = probesByFile(observes);
      await session.countCalls();
    }
    return session.files();
  }
  return session?.run(request.mutants, request.files);
}

process.on("message", (request: JobRequest) => {
  answer(request).then(
    (value) => process.send?.({ value }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

// The parent closes the channel to end it. Remaining processes are killed.
process.on("disconnect", () => {
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), 20_000);
  void session?.close().finally(() => process.exit());
});
