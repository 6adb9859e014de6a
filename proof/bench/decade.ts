import { openConnectionWithoutTimeouts } from "../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { progressBar } from "../../scripts/ops/progress-bar.ts";
import { type DecadeSize, decadeSizeForShare } from "../scale/decade.ts";
import { loadTenYearsOfData } from "../scale/decade-loading.ts";
import { copyDatabase, ensureLoadedDatabase, runStatementInDatabase } from "./databases.ts";
import { createTimedRequestSender } from "./decade/environment.ts";
import { benchLearnerWritesAfterTenYears } from "./decade/learners-writes.ts";
import { benchReadsAfterTenYears } from "./decade/reads.ts";
import { benchDeletesDuringRollUp } from "./decade/roll-up.ts";
import { vacuumAndPrintTableSizes } from "./decade/table-sizes.ts";
import { benchItemTogglesAndProgressUpdates } from "./decade/writes.ts";
import type { BenchEnvironment } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import { createInProcessService } from "./in-process-service.ts";
import type { BenchVerdict } from "./report.ts";

/**
 * Ten years of one large and a hundred small universities, or a share of them: storage, and operations that
 * once were too slow, each with a bound. With `data` the loaded database stays, and a copy is measured.
 */
export const benchTenYearsOfData =
  (share: number, { data, "load-only": isLoadOnly }: Pick<BenchFlags, "data" | "load-only">) =>
  async (stage: BenchEnvironment): Promise<BenchVerdict[]> => {
    const size = decadeSizeForShare(share);
    const name = `decade_${Math.round(share * 1000)}`;
    const loaded = await loadedDecade(stage.databaseUrl, name, size);
    if (isLoadOnly) return [];
    const url = data ? await copyDatabase(stage.databaseUrl, name, "measured") : loaded;
    // A kept database may be from an earlier release.
    if (data) await migrate(url);
    const client = await openConnectionWithoutTimeouts(url);
    // PostgreSQL's default, so plans that need more memory are slow here too.
    await client.query(`alter database ${data ? "measured" : name} set work_mem = '4MB'`);
    const whole = await createInProcessService(url);
    try {
      await vacuumAndPrintTableSizes(client);
      const { postmaster } = stage;
      const decade = {
        url,
        size,
        postmaster,
        db: whole.deps.db,
        client,
        request: createTimedRequestSender(whole),
      };
      return [
        ...(await benchReadsAfterTenYears(decade)),
        ...(await benchItemTogglesAndProgressUpdates(decade)),
        ...(await benchLearnerWritesAfterTenYears(decade)),
        ...(await benchDeletesDuringRollUp(decade)),
      ];
    } finally {
      await client.end();
      await whole.deps.close();
      if (data) await runStatementInDatabase(stage.databaseUrl, "drop database measured with (force)");
    }
  };

/** Loads the data unless present, and prints durations. */
const loadedDecade = (serverUrl: string, name: string, size: DecadeSize): Promise<string> =>
  ensureLoadedDatabase(serverUrl, name, async (url) => {
    const seconds = new Map<string, number>();
    const bar = progressBar();
    const began = performance.now();
    let last = began;
    await loadTenYearsOfData(url, size, (what, done, all) => {
      const now = performance.now();
      seconds.set(what, (seconds.get(what) ?? 0) + (now - last) / 1000);
      last = now;
      bar(what, done, all);
    });
    const parts = [...seconds].map(([what, taken]) => `${what} ${Math.round(taken)}`);
    console.log(`Loaded in ${Math.round((performance.now() - began) / 1000)} seconds: ${parts.join(", ")}`);
  });
