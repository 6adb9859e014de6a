/** `npm run sbom`: all that ships, as CycloneDX. */
import path from "node:path";
import { billOfMaterials } from "./build/licenses/bill-of-materials.ts";
import { commandLine } from "./command-line.ts";

commandLine({
  usage: "npm run sbom\n\nPrints all that ships, as CycloneDX: the service, and its web application.",
});
console.log(JSON.stringify(await billOfMaterials(path.resolve(import.meta.dirname, "..")), undefined, 2));
