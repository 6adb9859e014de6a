/** `npm run smoke -- --base URL`: tests every part of a running service. */
import { commandLine, refuse } from "./command-line.ts";
import { waitFor } from "./ops/smoke/browser.ts";
import { smoke } from "./ops/smoke/checks.ts";

const usage = `npm run smoke -- --base https://learn.example.edu

Checks health, documentation, CORS and an error of the service at that address, which may have a path. Further checks run if
these settings are in the environment: SMOKE_ORIGIN, an origin of the frontend; SMOKE_EMAIL and SMOKE_PASSWORD, an account; and
SMOKE_ITEM, the id of a content item about which that account asks the tutor twice.
Exits with 1 if a check fails.`;

const { flags } = commandLine({ usage, flags: { base: { type: "string" } } });
if (!flags.base || !URL.canParse(flags.base))
  refuse("--base must be an address such as https://learn.example.edu", usage);
const isThere = await waitFor(flags.base);
const failed = isThere ? await smoke(flags.base, (line) => console.log(line)) : 1;
if (!isThere) console.error(`The service at ${flags.base} does not answer`);
process.exitCode = failed > 0 ? 1 : 0;
