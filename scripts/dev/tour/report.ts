import { stdout } from "node:process";

const paint = (code: number) => (text: string) => (stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

const bold = paint(1);
const dim = paint(2);
const green = paint(32);
const red = paint(31);

/** Results of a step; times are in milliseconds. */
export type Facts = { status?: number; milliseconds?: number; firstChunk?: number; source?: string };

/** Prints a line per step, and counts failures. */
export class Report {
  failed = 0;

  chapter(title: string): void {
    console.log(`\n${bold(title)}`);
  }

  /** Runs a step and prints its line. A failure ends the tour, because later steps depend on it. */
  async step(title: string, run: () => Promise<Facts>): Promise<void> {
    try {
      const facts = await run();
      console.log(`  ${green("ok")}  ${title.padEnd(48)} ${dim(line(facts))}`);
    } catch (error) {
      this.failed += 1;
      console.log(
        `  ${red("no")}  ${title}\n      ${red(error instanceof Error ? error.message : String(error))}`,
      );
      throw error;
    }
  }
}

export function liveWriter(): (chunk: string) => void {
  let begun = false;
  return (chunk) => {
    stdout.write(dim(`${begun ? "" : "      | "}${chunk.replaceAll("\n", "\n      | ")}`));
    begun = true;
  };
}

function line({ status, milliseconds, firstChunk, source }: Facts): string {
  return [
    status,
    milliseconds !== undefined && `${milliseconds.toFixed(0)} ms`,
    firstChunk !== undefined && `first chunk ${firstChunk.toFixed(0)} ms`,
    source && `from ${source}`,
  ]
    .filter(Boolean)
    .join(" · ");
}
