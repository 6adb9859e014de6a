/** A process that runs test files with mutants, as pool.ts asks: it has a Vitest and a PostgreSQL of its own. */
import type { Mutant } from "./mutant.ts";
import { inserted } from "./plugin.ts";
import { probesOf } from "./probes.ts";
import { Session, type TestFile } from "./session.ts";

export type Settings = { tests: "test" | "test:all"; bails: boolean; observes?: readonly Mutant[] };

export type Request = { settings: Settings } | { mutants: Mutant[]; files: TestFile[] };

let session: Session | undefined;

async function answer(request: Request): Promise<unknown> {
  if ("settings" in request) {
    const { bails, observes } = request.settings;
    session = await Session.open({ bails });
    if (observes) {
      inserted.probes = probesOf(observes);
      await session.countCalls();
    }
    return session.files();
  }
  return session?.run(request.mutants, request.files);
}

process.on("message", (request: Request) => {
  answer(request).then(
    (value) => process.send?.({ value }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

// The parent asks for the end by closing the channel. What then still runs is ended with it.
process.on("disconnect", () => {
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), 20_000);
  void session?.close().finally(() => process.exit());
});
