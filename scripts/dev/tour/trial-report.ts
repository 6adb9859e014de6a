type Share = { passed: number; of: number; share: number; low: number; high: number } | null;

export type ReportShown = {
  id: number;
  state: string;
  version: number;
  against: number;
  estimate: { calls: number; cost_micros: number };
  cost: { spent_micros: number };
  cases: { answered: number };
  checks: { check: string; candidate: Share; recorded: Share }[];
  all_passed: { candidate: Share; recorded: Share };
  lengths: { candidate: { characters: number | null }; recorded: { characters: number | null } };
};

export type CaseShown = {
  path: string[];
  recorded: { text: string } | null;
  candidate: { text: string; checks: Record<string, string | null> } | null;
};

/** Prints passed answers per check with intervals, next to the recorded ones. */
export function printReport({ version, against, checks, all_passed, lengths, cost }: ReportShown): void {
  const row = (name: string, candidate: string, recorded: string) =>
    console.log(`      ${name.padEnd(20)} ${candidate.padEnd(26)} ${recorded}`);
  row("passed", `version ${version}`, `version ${against}`);
  row("all checks", inWords(all_passed.candidate), inWords(all_passed.recorded));
  const looked = checks.filter(({ candidate, recorded }) => candidate ?? recorded);
  for (const { check, candidate, recorded } of looked)
    row(inLetters(check), inWords(candidate), inWords(recorded));
  row("characters", whole(lengths.candidate.characters), whole(lengths.recorded.characters));
  console.log(`      It has cost ${cost.spent_micros / 1_000_000}.`);
}

/** Prints the beginning of both answers, and the failed checks of the tested one. */
export function printPair({ path, recorded, candidate }: CaseShown): void {
  console.log(`      after ${path.length} ${path.length === 1 ? "message" : "messages"}`);
  console.log(`      told:  ${beginning(recorded?.text)}`);
  console.log(`      tried: ${beginning(candidate?.text)}`);
  for (const fault of Object.values(candidate?.checks ?? {})) if (fault) console.log(`      found: ${fault}`);
}

const inLetters = (check: string): string => check.toLowerCase().replaceAll("_", " ");

/** `4 of 5, 38 to 96 %`. */
function inWords(share: Share): string {
  if (!share) return "–";
  const [low, high] = [share.low, share.high].map((one) => Math.round(one * 100));
  return `${share.passed} of ${share.of}, ${low} to ${high} %`;
}

const whole = (value: number | null): string => (value === null ? "–" : String(Math.round(value)));

const beginning = (text = ""): string => `${text.replaceAll(/\s+/g, " ").slice(0, 70)}…`;
