/** `npm run smoke -- --base URL`: tests every part of a running service. */
import { commandLine, refuse } from "./command-line.ts";
import { waitFor } from "./ops/smoke/browser.ts";
import { smoke } from "./ops/smoke/checks.ts";

const usage = `npm run smoke -- --base https://learn.example.edu

Asks the service at that address, which may have a path, for its health, its documentation, its rules for pages of other
origins, and a refusal. From the environment, and left out without: SMOKE_ORIGIN is an origin of the frontend; SMOKE_EMAIL
and SMOKE_PASSWORD sign in; SMOKE_ITEM is the id of a content item about which that person hears the tutor twice.
Exits with 1 when something is not as it should be.`;

const { flags } = commandLine({ usage, flags: { base: { type: "string" } } });
if (!flags.base || !URL.canParse(flags.base))
  refuse("--base is an address such as https://learn.example.edu", usage);
const isThere = await waitFor(flags.base);
const failed = isThere ? await smoke(flags.base, (line) => console.log(line)) : 1;
if (!isThere) console.error(`No service answers at ${flags.base}`);
process.exitCode = failed > 0 ? 1 : 0;
