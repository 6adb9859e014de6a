import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { nodeArguments } from "../../../server/node-arguments.ts";

const root = path.resolve(import.meta.dirname, "../../..");

async function run(command: string, ...words: string[]) {
  const script = path.join(root, "scripts", `${command}.ts`);
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [
    ...nodeArguments,
    script,
    ...words,
  ]).then(
    (ended) => ({ ...ended, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  );
  return { stdout, stderr, code };
}

/** The parts that a command lists for an unknown one. */
async function partsOf(command: string): Promise<string[]> {
  const { stderr, code } = await run(command, "nonsense");
  expect(code).toBe(2);
  const [, parts = ""] = /^Unknown part 'nonsense': (.*)$/m.exec(stderr) ?? [];
  expect(stderr).toContain(`npm run ${command}`);
  return parts.split(", ");
}

const documents = globSync(["*.md", "client/*.md", "docs/**/*.md"], { cwd: root })
  .filter((file) => file !== "CHANGELOG.md")
  .map((file) => readFileSync(path.join(root, file), "utf8"))
  .join("\n");
const commands = readFileSync(path.join(root, "docs/commands.md"), "utf8");

const namedIn = (text: string, command: string): string[] =>
  [...text.matchAll(new RegExp(`npm run ${command} ([a-z][\\w-]*)`, "g"))].map(([, part = ""]) => part);

describe.each(["check", "generate", "interop", "university"])("npm run %s", (command) => {
  it("rejects an unknown part, and has each of its parts in docs/commands.md and no other in the documents", async () => {
    const parts = await partsOf(command);
    expect(parts.filter((part) => !namedIn(commands, command).includes(part))).toEqual([]);
    expect(namedIn(documents, command).filter((part) => !parts.includes(part))).toEqual([]);
  });

  it("prints its usage with --help, and names each part there", async () => {
    const { stdout, code } = await run(command, "--help");
    expect(code).toBe(0);
    for (const part of await partsOf(command)) expect(stdout).toContain(part);
  });
});

it.each(["interop", "university"])(
  "npm run %s without a part is rejected with its usage",
  async (command) => {
    const { stderr, code } = await run(command);
    expect(code).toBe(2);
    expect(stderr).toContain("Name one of ");
  },
);

it("a part prints its own usage", async () => {
  const { stdout, code } = await run("university", "export", "--help");
  expect(code).toBe(0);
  expect(stdout).toContain("npm run university export -- SHORT_CODE");
});
