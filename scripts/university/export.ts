/** `npm run university export`: exports a university with its people for another deployment. */
import path from "node:path";
import { readEnvironment } from "../../server/environment.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { exportUniversity } from "../ops/university/export-university.ts";

const usage = `npm run university export -- SHORT_CODE [--to FOLDER]

Writes an inactive university in DATABASE_URL, its people and all that they did there, into a folder, exports/<short code> by
default, in batches: started again it goes on. Import it with npm run university import. Its secrets are encrypted
under a key that is printed at the end and stands in no file. The folder holds personal data and is readable by you alone.
docs/scale.md says what of each table goes along. Past a pooler it takes the database's own address in DIRECT_DATABASE_URL.`;

const { flags, words } = commandLine({ usage, flags: { to: { type: "string" } }, words: 1 });
const [shortCode] = words;
if (!shortCode) refuse("SHORT_CODE is that of a university", usage);
const folder = path.resolve(flags.to ?? `exports/${shortCode}`);
const { SECRET_KEY, SECRET_KEY_PREVIOUS } = readEnvironment();

await runScript(async (_, directUrl) => {
  if (!SECRET_KEY) throw new Error("SECRET_KEY is required: stored secrets are encrypted under it");
  const { rows, key } = await exportUniversity(directUrl, {
    ...{ shortCode, folder, onProgress: progressBar(), signal: stopSignal() },
    secrets: { SECRET_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY_PREVIOUS || undefined },
  });
  const secrets = key ? ` --key ${key}` : "";
  return `${rows} rows are in ${folder}. Import them, with the other deployment's DATABASE_URL and SECRET_KEY:
npm run university import -- --from ${folder}${secrets}`;
});
