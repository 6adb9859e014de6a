/** `npm run licenses`: the licences of all that ships; fails when someone has to think about one. */
import path from "node:path";
import { commandLine } from "./command-line.ts";
import { licenseOf, noticeOf, permissive, shippedFolders } from "./licenses/packages.ts";

const usage = `npm run licenses -- [--texts]

Lists every package that ships with its licence, or with --texts the words of all licences. Exits with 1 when one is none
of ${[...permissive].join(", ")}.
Each function's package carries the words of what is in it, in handler.licenses.txt.`;

const { flags } = commandLine({ usage, flags: { texts: { type: "boolean" } } });
const folders = await shippedFolders(path.resolve(import.meta.dirname, ".."));
const packages = (await Promise.all(folders.map(licenseOf))).filter((one) => one !== undefined);
if (flags.texts) console.log(noticeOf(packages));
else
  for (const { name, version, license } of packages) console.log(`${license.padEnd(14)} ${name} ${version}`);

const others = packages.filter(({ license }) => !permissive.has(license));
for (const { name, license } of others)
  console.error(`${name}: ${license} is not among those that ask for no more than their text`);
process.exitCode = others.length > 0 ? 1 : 0;
