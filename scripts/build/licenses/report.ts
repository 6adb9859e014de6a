/** `npm run check licenses`: lists the licenses of shipped packages; fails if one needs a review. */
import path from "node:path";
import { commandLine } from "../../command-line.ts";
import { isUnconsidered, noticeOf, permissive, shippedLicenses } from "./packages.ts";

const usage = `npm run check licenses -- [--texts]

Lists every package that ships with its licence, or with --texts the words of all licences. Exits with 1 when one is none
of ${[...permissive].join(", ")}, and nobody has said why it may ship.
Each function's package carries the words of what is in it, in handler.licenses.txt.`;

const { flags } = commandLine({ usage, flags: { texts: { type: "boolean" } } });
const packages = await shippedLicenses(path.resolve(import.meta.dirname, "../../.."));
if (flags.texts) console.log(noticeOf(packages));
else
  for (const { name, version, license } of packages) console.log(`${license.padEnd(14)} ${name} ${version}`);

const others = packages.filter(isUnconsidered);
for (const { name, license } of others)
  console.error(`${name}: ${license} is not among those that ask for no more than their text`);
process.exitCode = others.length > 0 ? 1 : 0;
