import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { progressBar } from "../../scripts/ops/progress-bar.ts";
import { loadScaleData, readMaxIds } from "../scale/load.ts";
import { largeScaleSize, type ScaleSize, smallScaleSize } from "../scale/size.ts";
import { ensureLoadedDatabase } from "./databases.ts";
import type { BenchEnvironment } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import { measureMediansAlternately } from "./measure.ts";
import { type BenchVerdict, largeToSmallRatioVerdict, upperLimitVerdict } from "./report.ts";
import { buildScaleReadRequests, readGetOperationParameters, type ScaleReadRequest } from "./scale-reads.ts";
import { openTimedPlatformReader, type TimedPlatformReader } from "./timed-platform-reader.ts";

const rounds = 25;

/** Reports have separate bounds; a university's report and a streamed cartridge grow with their data. */
const elsewhere =
  /^\/api\/v1\/(admin\/analytics\/|universities\/\{university_id\}\/analytics$|cartridges\/courses\/\{course_id\}$)/;

type Loaded = TimedPlatformReader & { reads: ScaleReadRequest[] };

/**
 * Median time of each read on a large database, as a multiple of that on a small one. With `data` the loaded
 * database stays.
 */
export const benchReadLatencyByDataSize =
  ({ "load-only": isLoadOnly }: Pick<BenchFlags, "load-only">) =>
  async (stage: BenchEnvironment): Promise<BenchVerdict[]> => {
    const operations = await readGetOperationParameters();
    // Rows created by migrations, equal in all databases.
    const base = await readMaxIds(stage.databaseUrl);
    const load = async (name: string, size: ScaleSize): Promise<Loaded> => {
      const url = await ensureLoadedDatabase(stage.databaseUrl, name, (empty) =>
        loadScaleData(empty, size, progressBar()),
      );
      // A kept database may be from an earlier release.
      await migrate(url);
      const platform = await openTimedPlatformReader(url, size, base);
      return { ...platform, reads: buildScaleReadRequests(operations, size, base) };
    };
    const small = await load("scale_small", smallScaleSize);
    const large = await load("scale_large", largeScaleSize);
    try {
      return isLoadOnly ? [] : await compareAll(operations.keys(), small, large);
    } finally {
      await Promise.all([small.close(), large.close()]);
    }
  };

async function compareAll(
  operations: Iterable<string>,
  small: Loaded,
  large: Loaded,
): Promise<BenchVerdict[]> {
  const verdicts: BenchVerdict[] = [];
  const refused = new Map<string, Set<number>>();
  for (const operation of operations) {
    if (elsewhere.test(operation)) continue;
    const found = await compareReads(operation, small, large);
    verdicts.push(...found.verdicts);
    if (found.verdicts.length === 0) refused.set(operation, found.statuses);
  }
  console.log(
    "Reports and cartridges are not measured here: they have a bound of their own, or grow with their university or course",
  );
  for (const [operation, statuses] of refused)
    console.log(`${operation}: not measured, the readers' answers are ${[...statuses].join(", ")}`);
  return [
    ...verdicts,
    upperLimitVerdict("GET operations without a successful reader", refused.size, 0, "operations"),
  ];
}

/** Compares an operation's reads that succeed on both databases. */
async function compareReads(operation: string, small: Loaded, large: Loaded) {
  const verdicts: BenchVerdict[] = [];
  const statuses = new Set<number>();
  for (const [at, ofSmall] of small.reads.entries()) {
    const ofLarge = large.reads[at];
    if (ofSmall.operation !== operation || !ofLarge) continue;
    for (const reader of small.readers) {
      const answers = [await small.read(reader, ofSmall), await large.read(reader, ofLarge)];
      for (const { status } of answers) statuses.add(status);
      if (answers.some(({ status }) => status !== 200)) continue;
      const medians = await measureMediansAlternately(rounds, {
        small: async () => (await small.read(reader, ofSmall)).milliseconds,
        large: async () => (await large.read(reader, ofLarge)).milliseconds,
      });
      const each = ofSmall.countOf ? " for each thing told" : "";
      verdicts.push(largeToSmallRatioVerdict(`${ofSmall.name} as ${reader}`, medians, 3, each));
    }
  }
  return { verdicts, statuses };
}
