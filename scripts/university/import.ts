/** `npm run university import`: imports an exported university. */
import { readEnvironment } from "../../server/environment.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { importUniversity } from "../ops/university/import-university.ts";

const usage = `npm run university import -- --from FOLDER [--key KEY]

Adds the university in the folder to the database in DATABASE_URL. It works in batches: the same command continues after an
interruption. All ids are new. People who have an account here with the same address, verified there and here, keep it. The
university is inactive at first; to undo the import, run npm run university remove. Without --key, enter the secrets of its
identity providers again. Both deployments must have the same version.`;

const { flags } = commandLine({ usage, flags: { from: { type: "string" }, key: { type: "string" } } });
const { from, key } = flags;
if (!from) refuse("--from must name the folder of an export", usage);
const { SECRET_KEY } = readEnvironment();

await runScript(async (_, directUrl) => {
  if (!SECRET_KEY) throw new Error("SECRET_KEY is required to encrypt imported secrets");
  const { university, rows, known } = await importUniversity(directUrl, {
    ...{ folder: from, secretKey: SECRET_KEY, key, onProgress: progressBar(), signal: stopSignal() },
  });
  return `${rows} rows were imported. The university has the id ${university}; ${known} of its people already had an account. Set is_active to
true to open it`;
});
