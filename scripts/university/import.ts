/** `npm run university import`: imports an exported university. */
import { readEnvironment } from "../../server/environment.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { importUniversity } from "../ops/university/import-university.ts";

const usage = `npm run university import -- --from FOLDER [--key KEY]

Puts what npm run university export wrote into the database in DATABASE_URL, beside what is there, in batches: started
again it goes on. All ids are new. Whoever has an account here with the same address, verified there and here, keeps it. The
university arrives inactive; remove it (npm run university remove) where it is not to stay. Without --key identity
providers ask for their secret anew. Both deployments have the same version.`;

const { flags } = commandLine({ usage, flags: { from: { type: "string" }, key: { type: "string" } } });
const { from, key } = flags;
if (!from) refuse("--from is the folder of an export", usage);
const { SECRET_KEY } = readEnvironment();

await runScript(async (_, directUrl) => {
  if (!SECRET_KEY) throw new Error("SECRET_KEY is required: what comes is encrypted under it");
  const { university, rows, known } = await importUniversity(directUrl, {
    ...{ folder: from, secretKey: SECRET_KEY, key, onProgress: progressBar(), signal: stopSignal() },
  });
  return `${rows} rows came; the university has the id ${university}, and ${known} of its people had an account here. Set is_active to
true when it is to begin`;
});
