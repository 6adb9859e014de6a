/** `npm run doctor`: finds problems of a deployment's settings, database and services, and names remedies. */

import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { checkDatabase } from "./ops/doctor/database.ts";
import { checkFileStore } from "./ops/doctor/file-store.ts";
import { linesOf } from "./ops/doctor/finding.ts";
import { checkServices } from "./ops/doctor/reach.ts";
import { checkSettings } from "./ops/doctor/settings.ts";

const usage = `npm run doctor

Checks the settings in the environment and in .env, the database, and every service that they name. Prints each problem with
its remedy, and changes nothing. For functions on AWS: SECRET_SETTINGS="$(aws secretsmanager
get-secret-value --secret-id learning-platform/<stage>/settings --query SecretString --output text)" npm run doctor
Exits with 1 if something is wrong. Advice does not count.`;

commandLine({ usage });
const { config, findings } = checkSettings(readEnvironment());
const others = config
  ? await Promise.all([checkDatabase(config), checkServices(config), checkFileStore(config)])
  : [];
const all = [...findings, ...others.flat()];
for (const finding of all) console.log(linesOf(finding));
const found = all.filter(({ state }) => state === "wrong").length;
console.log(found > 0 ? `\n${found} to fix.` : "\nEverything is all right.");
process.exitCode = found > 0 ? 1 : 0;
