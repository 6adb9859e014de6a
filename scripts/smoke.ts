/** `npm run smoke -- --base URL`: asks a running service what every one of its parts has to answer. */
import { readArguments } from "./local/arguments.ts";
import { smoke } from "./smoke/checks.ts";
import { waitFor } from "./tour/browser.ts";

const usage = `npm run smoke -- --base https://learn.example.edu

Asks the service at that address, which may have a path, for its health, its documentation, its rules for pages of other
origins, and a refusal. From the environment, and left out without: SMOKE_ORIGIN is an origin of the frontend; SMOKE_EMAIL
and SMOKE_PASSWORD sign in; SMOKE_ITEM is the id of a content item about which that person hears the tutor twice.
Exits with 1 when something is not as it should be.`;

const { values } = readArguments(usage, { base: { type: "string" } });
if (!values.base || !URL.canParse(values.base)) {
  console.error(`--base is an address such as https://learn.example.edu\n\n${usage}`);
  process.exit(2);
}
const isThere = await waitFor(values.base);
const failed = isThere ? await smoke(values.base, (line) => console.log(line)) : 1;
if (!isThere) console.error(`No service answers at ${values.base}`);
process.exitCode = failed > 0 ? 1 : 0;
