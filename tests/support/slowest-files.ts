import type { Reporter, TestModule } from "vitest/node";

const shown = 10;

/** A file's duration in milliseconds: loading, hooks and tests. */
const timeOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
};

/** Prints the ten slowest files above vitest's summary. Runs of fewer files print none. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const lines = modules
      .toSorted((a, b) => timeOf(b) - timeOf(a))
      .slice(0, shown)
      .map((module) => {
        const seconds = (timeOf(module) / 1000).toFixed(1).padStart(7);
        return `${seconds} s  ${module.project.name.padEnd(8)}  ${module.relativeModuleId}`;
      });
    console.log(`\n The ${shown} slowest files\n${lines.join("\n")}`);
  }
}
