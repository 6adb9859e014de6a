import { parseArgs } from "node:util";

type Options = Record<string, { type: "string" | "boolean" }>;
type Given<O extends Options> = {
  [Name in keyof O]?: O[Name]["type"] extends "boolean" ? boolean : string;
};

/** What a script was called with: flags, and up to `most` other words. What it does not know ends it, with the usage. */
export function readArguments<const O extends Options>(
  usage: string,
  options: O,
  most = 0,
): { values: Given<O>; words: string[] } {
  try {
    const given = { ...options, help: { type: "boolean", short: "h" } } as const;
    const { values, positionals } = parseArgs({ options: given, allowPositionals: most > 0 });
    if (positionals.length > most) throw new Error(`Unexpected argument '${positionals[most]}'`);
    if ((values as { help?: boolean }).help) {
      console.log(usage);
      process.exit(0);
    }
    return { values: values as Given<O>, words: positionals };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}
