/**
 * Imports all modules of a server, including lazily loaded ones, to fill Node's compile cache
 * (quick-start.mjs) before the first process starts.
 */
import "../lib/assessments/grades-reader.ts";
import "../lib/assessments/qti/pool-exchange.ts";
import "../lib/assessments/qti/items-reader.ts";
import "../lib/certificates/certificate-pdf.ts";
import "../lib/db/driver/neon-driver.ts";
import "../lib/db/driver/pg-driver.ts";
import "../lib/imports/rows-reader.ts";
import "../lib/saml/metadata-reader.ts";
import "../lib/saml/response-reader.ts";
import { commandLine } from "./command-line.ts";
import "../server/primary.ts";
import "../server/worker.ts";

commandLine({
  usage:
    "node --import ./server/quick-start.mjs scripts/compile.ts\n\nCompiles what `npm start` runs, which does so first.",
});
