import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import clientPackageJson from "../../../client/package.json" with { type: "json" };
import packageJson from "../../../package.json" with { type: "json" };
import { commandLine } from "../../../scripts/command-line.ts";

const usage = "npm run example -- [--base BASE_URL] NAME";

class Ended extends Error {}

/** Parses a command line. If that ends the script, returns the exit code and output. */
function read(...args: string[]) {
  const written = vi.fn();
  vi.spyOn(console, "error").mockImplementation(written);
  vi.spyOn(console, "log").mockImplementation(written);
  vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Ended(String(code));
  });
  try {
    return commandLine({ usage, flags: { base: { type: "string" } }, words: 1 }, args);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { exit: Number(error.message), written: String(written.mock.calls[0]?.[0]) };
  }
}

afterEach(() => vi.restoreAllMocks());

describe("a script's command line", () => {
  it("has the script's flags and positional arguments", () => {
    expect(read("--base", "http://localhost", "ada")).toEqual({
      flags: { base: "http://localhost" },
      words: ["ada"],
    });
  });

  it.each([
    [["--bse", "x"], "Unknown option '--bse'"],
    [["--base"], "Option '--base <value>' argument missing"],
    [["ada", "ben"], "Unexpected argument 'ben'"],
  ])("with %j is rejected with the usage", (args, fault) => {
    expect(read(...args)).toEqual({ exit: 2, written: `${fault}\n\n${usage}` });
  });

  it("with --help is answered with the usage", () => {
    expect(read("--help")).toEqual({ exit: 0, written: usage });
  });

  it("is read by every script, or handed on whole to the framework that the script runs", () => {
    const started = ({ scripts }: { scripts: Record<string, string> }, folder: string) =>
      Object.values(scripts).flatMap((text) =>
        [...text.matchAll(/\bnode (?:--import \S+ )?(\S+\.ts)/g)].map(([, file = ""]) =>
          path.join(folder, file),
        ),
      );
    const parts = globSync("scripts/{interop,university}/*.ts");
    const files = new Set([...started(packageJson, "."), ...started(clientPackageJson, "client"), ...parts]);
    const unread = [...files].filter(
      (file) =>
        !/\b(commandLine|runPart|parseBenchFlags|parseChaosFlags|parseTermFlags)\(/.test(
          readFileSync(file, "utf8"),
        ),
    );
    expect(files.size).toBeGreaterThan(20);
    expect(unread).toEqual([]);
  });
});
