import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** What a script can be told: its usage, which begins with the command, its flags, and how many words besides them. */
type Command<Flags extends Options> = { usage: string; flags?: Flags; words?: number };

/**
 * Reads a script's command line: its flags, as parseArgs of node:util does, and the words besides them. Whoever asks
 * for `--help` is told the usage; what the script does not know is told with it, and the exit is 2.
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

/** Ends the script as one that was told what it does not know: the exit is 2. */
export function refuse(error: unknown, usage: string): never {
  const message = error instanceof Error ? error.message : String(error);
  // What Node adds to it is about arguments that begin with a dash, of which there are none.
  console.error(`${message.split(". To specify ")[0]}\n\n${usage}`);
  process.exit(2);
}

/** The number that a flag gives, from `least` to `most`; ends the script otherwise. */
export function numberIn(name: string, value: string, least: number, most: number, usage: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= least && number <= most) return number;
  return refuse(`--${name} is a number from ${least} to ${most}, not '${value}'`, usage);
}

/** As `numberIn`, without a fraction. */
export function wholeIn(name: string, value: string, least: number, most: number, usage: string): number {
  const number = numberIn(name, value, least, most, usage);
  return Number.isInteger(number) ? number : refuse(`--${name} is a whole number, not '${value}'`, usage);
}

/**
 * Runs the part that the first word names, such as `lti` of `npm run interop lti`. The part reads the rest of the command
 * line itself. Without a known word the usage is printed, and the exit is 2.
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
