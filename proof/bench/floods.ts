import type { BenchEnvironment } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import {
  defaultFloodSchedule,
  type FloodMeasurement,
  floodVerdicts,
  measureBystanderWaitsDuringFlood,
} from "./floods/bystander-waits.ts";
import { openFloodEnvironment } from "./floods/environment.ts";
import { createTutorGenerationsFlood } from "./floods/generations.ts";
import { createHostileImportsFlood } from "./floods/hostile-imports.ts";
import { createLargeImportsFlood } from "./floods/large-imports.ts";
import { createMailFlood } from "./floods/mails.ts";
import { createPublicEndpointsFlood } from "./floods/public-endpoints.ts";
import { createWrongPasswordsFlood } from "./floods/sign-ins.ts";
import { createLtiToolScoresFlood } from "./floods/tool-scores.ts";
import type { BenchVerdict } from "./report.ts";

export const floodFactories = [
  createPublicEndpointsFlood,
  createWrongPasswordsFlood,
  createMailFlood,
  createLargeImportsFlood,
  createHostileImportsFlood,
  createTutorGenerationsFlood,
  createLtiToolScoresFlood,
];

/** Measures waiting times of others while one user or network floods a scarce resource. */
export const benchFloods =
  ({ only }: BenchFlags) =>
  async (bench: BenchEnvironment): Promise<BenchVerdict[]> =>
    (await measureFloods(bench, only)).flatMap(floodVerdicts);

/** `only`: floods whose names contain the word. */
export async function measureFloods(bench: BenchEnvironment, only = ""): Promise<FloodMeasurement[]> {
  const stage = await openFloodEnvironment(bench);
  const found: FloodMeasurement[] = [];
  try {
    for (const create of floodFactories) {
      const flood = await create(stage);
      if (flood.name.includes(only))
        found.push(await measureBystanderWaitsDuringFlood(flood, defaultFloodSchedule));
    }
  } finally {
    await stage.close();
  }
  return found;
}
