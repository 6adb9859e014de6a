/** `npm run sbom`: all that ships, as CycloneDX. */
import path from "node:path";
import { commandLine } from "../../command-line.ts";
import { billOfMaterials } from "./bill-of-materials.ts";

commandLine({
  usage: "npm run sbom\n\nPrints all that ships, as CycloneDX: the service, and its web application.",
});
console.log(
  JSON.stringify(await billOfMaterials(path.resolve(import.meta.dirname, "../../..")), undefined, 2),
);
