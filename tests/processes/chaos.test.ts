import { describe, expect, it, vi } from "vitest";
import { parseChaosFlags } from "../../proof/chaos/flags.ts";
import { runChaos } from "../../proof/chaos/run.ts";

describe("while processes die, the LLM fails and the database restarts", () => {
  it("no answer is lost, duplicated or wrong, and everyone gets one in the end", async () => {
    const flags = { minutes: 1 / 3, processes: 2, learners: 8, seed: 7 };
    // The time of recovery depends on the machine's load, but recovery does not.
    const { violations, acknowledged, text } = await runChaos(flags, { calmSeconds: 90 });
    expect(violations, text).toEqual([]);
    expect(acknowledged).toBeGreaterThanOrEqual(flags.learners);
  });
});

describe("npm run chaos", () => {
  it("rejects unknown arguments, and prints its usage", () => {
    const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const args of [
      ["--minutes", "0"],
      ["--learners", "1.5"],
      ["--processes", ""],
      ["--speed", "9"],
      ["9"],
    ]) {
      expect(() => parseChaosFlags(args)).toThrow("exit 2");
      expect(written.mock.lastCall?.[0]).toContain("npm run chaos -- [--minutes");
    }
    exit.mockRestore();
    written.mockRestore();
  });

  it("accepts its arguments", () => {
    expect(parseChaosFlags(["--minutes", "2.5", "--seed", "3"])).toEqual({
      minutes: 2.5,
      processes: 3,
      learners: 20,
      seed: 3,
    });
  });
});
