/** A process that runs test files with mutants for pool.ts, with its own Vitest and PostgreSQL. */
import type { Mutant } from "./mutant.ts";
import { injectedMutantsAndProbes } from "./plugin.ts";
import { probesByFile } from "./probes.ts";
import { type TestFile, VitestSession } from "./vitest-session.ts";

export type TestProcessSettings = {
  tests: "test" | "test:all";
  bails: boolean;
  observes?: readonly Mutant[];
};

export type TestProcessMessage = { settings: TestProcessSettings } | { mutants: Mutant[]; files: TestFile[] };

let session: VitestSession | undefined;

async function answer(request: TestProcessMessage): Promise<unknown> {
  if ("settings" in request) {
    const { bails, observes } = request.settings;
    session = await VitestSession.open({ bails });
    if (observes) {
      injectedMutantsAndProbes.probes = probesByFile(observes);
      await session.countCalls();
    }
    return session.files();
  }
  return session?.run(request.mutants, request.files);
}

process.on("message", (request: TestProcessMessage) => {
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
