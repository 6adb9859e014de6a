/**
 * Imports all modules of a server, including lazily loaded ones, to fill Node's compile cache
 * (quick-start.mjs) before the first process starts.
 */
import "../lib/assessment/grades-reader.ts";
import "../lib/assessment/qti/pool-exchange.ts";
import "../lib/assessment/certificates/certificate-pdf.ts";
import "../lib/courses/content/captions/captions-reader.ts";
import "../lib/platform/db/driver/neon-driver.ts";
import "../lib/platform/db/driver/pg-driver.ts";
import "../lib/integrations/imports/rows-reader.ts";
import "../lib/integrations/question-files/items-reader.ts";
import "../lib/identity/saml/metadata-reader.ts";
import "../lib/identity/saml/response-reader.ts";
import { commandLine } from "./command-line.ts";
import "../server/primary.ts";
import "../server/worker.ts";

commandLine({
  usage:
    "node --import ./server/quick-start.mjs scripts/compile.ts\n\nCompiles the server. `npm start` runs this first.",
});
