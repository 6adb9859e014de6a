import pg from "pg";
import { migrate } from "../../lib/db/migrate.ts";
import { loadScaleData } from "../scale/load.ts";
import { progressBar } from "../scale/progress-bar.ts";
import { largeSize, type Size, smallSize } from "../scale/size.ts";
import { median } from "./measure.ts";
import { atMost, type Verdict } from "./report.ts";
import { type LoadedPlatform, openLoadedPlatform } from "./scale-reads.ts";
import type { Stage } from "./stage.ts";

const rounds = 25;

/** The median time of each read on a large database, in multiples of the same read's median on a small one. */
export async function benchScale(stage: Stage): Promise<Verdict[]> {
  const small = await loadedPlatform(stage, "small", smallSize);
  const large = await loadedPlatform(stage, "large", largeSize);
  const verdicts: Verdict[] = [];
  for (const name of large.names.filter((one) => small.names.includes(one))) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.small.push(await small.read(name));
      times.large.push(await large.read(name));
    }
    verdicts.push(ratio(name, median(times.small), median(times.large)));
  }
  await Promise.all([small.close(), large.close()]);
  return verdicts;
}

async function loadedPlatform(stage: Stage, name: string, size: Size): Promise<LoadedPlatform> {
  const url = await furtherDatabase(stage.databaseUrl, name);
  const base = await loadScaleData(url, size, progressBar());
  return openLoadedPlatform(url, size, base);
}

/** A migrated database beside the stage's own, on the same server. */
async function furtherDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const further = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  await migrate(further);
  return further;
}

function ratio(name: string, small: number, large: number): Verdict {
  const verdict = atMost(name, large / small, 3, "times");
  return {
    ...verdict,
    found: `${verdict.found} (${large.toPrecision(2)} ms, small ${small.toPrecision(2)} ms)`,
  };
}
