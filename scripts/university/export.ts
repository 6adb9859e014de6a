/** `npm run university export`: exports a university with its people for another deployment. */
import path from "node:path";
import { readEnvironment } from "../../server/environment.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { exportUniversity } from "../ops/university/export-university.ts";

const usage = `npm run university export -- SHORT_CODE [--to FOLDER]

Writes an inactive university in DATABASE_URL, with its people and their data, into a folder, exports/<short code> by default.
It works in batches: the same command continues after an interruption. Import the folder with npm run university import. Secrets
are encrypted under a key that is printed at the end and stored nowhere. The folder contains personal data; only you can read it.
docs/scale.md lists the exported rows of each table. Behind a pooler, set DIRECT_DATABASE_URL.`;

const { flags, words } = commandLine({ usage, flags: { to: { type: "string" } }, words: 1 });
const [shortCode] = words;
if (!shortCode) refuse("SHORT_CODE must be the short code of a university", usage);
const folder = path.resolve(flags.to ?? `exports/${shortCode}`);
const { SECRET_KEY, SECRET_KEY_PREVIOUS } = readEnvironment();

await runScript(async (_, directUrl) => {
  if (!SECRET_KEY) throw new Error("SECRET_KEY is required to read stored secrets");
  const { rows, key } = await exportUniversity(directUrl, {
    ...{ shortCode, folder, onProgress: progressBar(), signal: stopSignal() },
    secrets: { SECRET_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY_PREVIOUS || undefined },
  });
  const secrets = key ? ` --key ${key}` : "";
  return `${rows} rows are in ${folder}. To import them, set DATABASE_URL and SECRET_KEY of the other deployment, and run:
npm run university import -- --from ${folder}${secrets}`;
});
