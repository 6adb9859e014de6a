import type { BenchEnvironment } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import {
  defaultFloodSchedule,
  type FloodWaits,
  floodVerdicts,
  measureDuringFlood,
} from "./floods/bystander-waits.ts";
import { publicEndpointsFlood } from "./floods/doors.ts";
import { openFloodEnvironment } from "./floods/environment.ts";
import { slowUploadsFlood } from "./floods/files.ts";
import { generationsFlood } from "./floods/generations.ts";
import { hostileFilesFlood } from "./floods/hostile-files.ts";
import { mailFlood } from "./floods/mails.ts";
import { wrongPasswordsFlood } from "./floods/sign-ins.ts";
import { toolScoresFlood } from "./floods/tool-scores.ts";
import type { BenchVerdict } from "./report.ts";

export const floodFactories = [
  publicEndpointsFlood,
  wrongPasswordsFlood,
  mailFlood,
  slowUploadsFlood,
  hostileFilesFlood,
  generationsFlood,
  toolScoresFlood,
];

/** Measures waiting times of others while one user or network floods a scarce resource. */
export const benchFloods =
  ({ only }: BenchFlags) =>
  async (bench: BenchEnvironment): Promise<BenchVerdict[]> =>
    (await measureFloods(bench, only)).flatMap(floodVerdicts);

/** `only`: floods whose names contain the word. */
export async function measureFloods(bench: BenchEnvironment, only = ""): Promise<FloodWaits[]> {
  const stage = await openFloodEnvironment(bench);
  const found: FloodWaits[] = [];
  try {
    for (const create of floodFactories) {
      const flood = await create(stage);
      if (flood.name.includes(only)) found.push(await measureDuringFlood(flood, defaultFloodSchedule));
    }
  } finally {
    await stage.close();
  }
  return found;
}
