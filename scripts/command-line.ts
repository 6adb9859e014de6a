import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** A script's usage, which begins with the command, its flags, and number of other words. */
type Command<Flags extends Options> = { usage: string; flags?: Flags; words?: number };

/**
 * Parses a script's command line with parseArgs of node:util. `--help` prints the usage; unknown arguments
 * print it and exit with 2.
 */
export function commandLine<const Flags extends Options = Record<never, never>>(
  { usage, flags, words = 0 }: Command<Flags>,
  args: readonly string[] = process.argv.slice(2),
) {
  if (args.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const told = parseArgs({ args: [...args], options: flags ?? ({} as Flags), allowPositionals: true });
    if (told.positionals.length > words) throw new Error(`Unexpected argument '${told.positionals[words]}'`);
    return { flags: told.values, words: told.positionals };
  } catch (error) {
    return refuse(error, usage);
  }
}

/** Ends the script for an invalid argument, with exit code 2. */
export function refuse(error: unknown, usage: string): never {
  const message = error instanceof Error ? error.message : String(error);
  // Drops Node's advice about arguments that begin with a dash.
  console.error(`${message.split(". To specify ")[0]}\n\n${usage}`);
  process.exit(2);
}

/** A flag's number from `least` to `most`; ends the script otherwise. */
export function numberIn(name: string, value: string, least: number, most: number, usage: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= least && number <= most) return number;
  return refuse(`--${name} must be a number from ${least} to ${most}, not '${value}'`, usage);
}

/** Like `numberIn`, for whole numbers. */
export function wholeIn(name: string, value: string, least: number, most: number, usage: string): number {
  const number = numberIn(name, value, least, most, usage);
  return Number.isInteger(number)
    ? number
    : refuse(`--${name} must be a whole number, not '${value}'`, usage);
}

/**
 * Runs the part that the first word names, such as `lti` of `npm run interop lti`. The part parses the rest.
 * Unknown words print the usage and exit with 2.
 */
export async function runPart(usage: string, parts: Readonly<Record<string, () => Promise<unknown>>>) {
  const [word] = process.argv.slice(2);
  if (word === "--help") {
    console.log(usage);
    process.exit(0);
  }
  const known = Object.keys(parts).join(", ");
  const part = word !== undefined && Object.hasOwn(parts, word) ? parts[word] : undefined;
  if (!part)
    return refuse(word === undefined ? `Name one of ${known}` : `Unknown part '${word}': ${known}`, usage);
  process.argv.splice(2, 1);
  return part();
}
