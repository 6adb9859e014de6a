/** `npm run check licenses`: lists the licenses of shipped packages; fails if one needs a review. */
import path from "node:path";
import { commandLine } from "../../command-line.ts";
import { isUnconsidered, noticeOf, permissive, shippedLicenses } from "./packages.ts";

const usage = `npm run check licenses -- [--texts]

Lists every shipped package with its license, or with --texts the texts of all licenses. Exits with 1 if a license is not one of
${[...permissive].join(", ")}, and is not on the list of reviewed ones.
Each function's package contains the texts of its licenses, in handler.licenses.txt.`;

const { flags } = commandLine({ usage, flags: { texts: { type: "boolean" } } });
const packages = await shippedLicenses(path.resolve(import.meta.dirname, "../../.."));
if (flags.texts) console.log(noticeOf(packages));
else
  for (const { name, version, license } of packages) console.log(`${license.padEnd(14)} ${name} ${version}`);

const others = packages.filter(isUnconsidered);
for (const { name, license } of others)
  console.error(`${name}: ${license} is not among the licenses that require only their text`);
process.exitCode = others.length > 0 ? 1 : 0;
