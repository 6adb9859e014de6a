import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { wantsNewFolder } from "../../../scripts/dev/new-folder.ts";

/** The terminal's output for a typed answer, and the result. */
async function asked(answer: string, isTTY = true) {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
  const wants = wantsNewFolder("The database was made before version 1.0.0", "/srv/data", { input, output });
  input.write(answer);
  return { wants: await wants, shown: String(output.read() ?? "") };
}

it("the question names the reason and the folder", async () => {
  expect((await asked("n\n")).shown).toContain(
    "The database was made before version 1.0.0.\nStart with a new folder, and keep the old one next to /srv/data? [Y/n]",
  );
});

it.each(["\n", "y\n", " Yes \n", "Y\n"])("%j starts with a new folder", async (answer) => {
  expect((await asked(answer)).wants).toBe(true);
});

it.each(["n\n", "no\n", "what?\n"])("%j keeps the folder", async (answer) => {
  expect((await asked(answer)).wants).toBe(false);
});

it("nothing is asked without a terminal", async () => {
  expect(await asked("y\n", false)).toEqual({ wants: false, shown: "" });
});
