import { mergeConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { mutationPlugin } from "./plugin.ts";

const { MUTATION_TESTS: tests = "test", MUTATION_COVERAGE: coverage } = process.env;
const isExhaustive = tests === "test:all";
const base: { default: ViteUserConfig } = await (isExhaustive
  ? import("../../vitest.all.config.ts")
  : import("../../vitest.config.ts"));

/** Runs files in the given order: likeliest to fail first. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The tests' configuration for one worker that stops at the first failure. */
export default mergeConfig(base.default, {
  plugins: [mutationPlugin()],
  test: {
    maxWorkers: 1,
    // Its keys are the contents on disk, which mutants do not change.
    fsModuleCache: false,
    sequence: { sequencer: AsGiven },
    ...(coverage && { setupFiles: ["proof/mutation-check/coverage-setup.ts"] }),
    // A fault may make a test wait forever. Tests of `test:all` alone take up to a minute.
    testTimeout: isExhaustive ? 150_000 : 40_000,
    hookTimeout: isExhaustive ? 150_000 : 60_000,
    expect: { poll: { timeout: isExhaustive ? 60_000 : 10_000 } },
  },
});
