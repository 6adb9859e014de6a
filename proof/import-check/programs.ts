import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createPythonVenvWithPackages } from "../clients/python-environment.ts";
import { runCommandRejectingWarnings } from "../clients/toolchain.ts";

/* Third-party programs from PyPI that write files of questions: text2qti (QTI 1.2 as Canvas reads it),
   gift-wrapper (GIFT) and qti-convert (QTI 2.1 to 3.0 and back). */

const packages = ["text2qti==0.8.0", "gift-wrapper==1.8.1", "citolab-qti-convert==0.2.0"];

/** A file with the number of questions that the service supports, and of all. */
export type GeneratedQuestionFile = { path: string; supported: number; questions: number };

/** Installs the programs, and returns their folder. Throws pip's error if they cannot be fetched. */
export const installQuestionFilePrograms = (folder: string): Promise<string> =>
  createPythonVenvWithPackages(folder, ...packages);

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const quiz = `Quiz title: Waves

1.  What is this? ![A dot](dot.png)
*a) A dot
b)  A wave

2.  What is a hundred?
*a) $10^2$
b)  $2^{10}$

3.  Which are primes?
[*] 2
[*] 3
[ ] 4

4.  The capital of France?
*   Paris
*   Lutetia

5.  How many days has a week?
=   7

6.  The circle's constant?
=   3.14 +- 0.01

7.  Explain what a wave carries.
____
`;

const giftSource = `author: A
pictures base directory: .
categories:
  - name: Waves
    questions:
      - class: MultipleChoice
        statement: What keeps its velocity?
        name: Inertia
        answers:
          perfect: A body without forces
          wrong:
            - A falling body
      - class: Numerical
        statement: The circle's constant?
        name: Number
        solution:
          value: 3.14
          error: 10%
`;

/** A QTI 1.2 package with a picture and a formula, and a GIFT file. */
export async function writeQuestionFiles(programs: string, folder: string): Promise<GeneratedQuestionFile[]> {
  const made = path.join(folder, "made");
  await mkdir(made);
  await writeFile(path.join(made, "dot.png"), png);
  await writeFile(path.join(made, "waves.txt"), quiz);
  await writeFile(path.join(made, "waves.yaml"), giftSource);
  await runCommandRejectingWarnings(made, path.join(programs, "text2qti"), "waves.txt");
  await runCommandRejectingWarnings(
    made,
    path.join(programs, "wrap.py"),
    "--local",
    "--no-checks",
    "-i",
    "waves.yaml",
  );
  return [
    { path: path.join(made, "waves.zip"), supported: 6, questions: 7 },
    { path: path.join(made, "waves.gift.txt"), supported: 2, questions: 2 },
  ];
}

/** Our QTI 2.1 package as QTI 3.0, and converted back. */
export async function convertQtiPackageAndBack(
  programs: string,
  folder: string,
  zip: Uint8Array,
): Promise<string[]> {
  await writeFile(path.join(folder, "ours.zip"), zip);
  const convert = path.join(programs, "qti-convert");
  await runCommandRejectingWarnings(folder, convert, "upgrade", "ours.zip", "ours-3.zip");
  await runCommandRejectingWarnings(folder, convert, "downgrade", "ours-3.zip", "ours-2.zip");
  return ["ours-3.zip", "ours-2.zip"].map((name) => path.join(folder, name));
}
