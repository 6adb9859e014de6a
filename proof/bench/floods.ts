import type { BenchEnvironment } from "./environment.ts";
import { filesFlood } from "./floods/files.ts";
import { generationsFlood } from "./floods/generations.ts";
import { mailFlood } from "./floods/mails.ts";
import { type Meanwhile, meanwhile, type Pace, usualPace, verdictsOf } from "./floods/meanwhile.ts";
import { signInsFlood } from "./floods/sign-ins.ts";
import { openFloods } from "./floods/stage.ts";
import type { Verdict } from "./report.ts";

const floods = [signInsFlood, mailFlood, filesFlood, generationsFlood];

/** What others wait while one person, or one network, wants as much as they can of what is scarce. */
export const benchFloods = async (bench: BenchEnvironment): Promise<Verdict[]> =>
  (await measureFloods(bench)).flatMap(verdictsOf);

/** One flood after the other, at another pace and with further settings where they are given. */
export async function measureFloods(
  bench: BenchEnvironment,
  pace: Pace = usualPace,
  settings: Record<string, string> = {},
): Promise<Meanwhile[]> {
  const stage = await openFloods(bench, settings);
  const found: Meanwhile[] = [];
  try {
    for (const flood of floods) found.push(await meanwhile(await flood(stage), pace));
  } finally {
    await stage.close();
  }
  return found;
}
