import path from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** Prints the CycloneDX document of the service and its web application. */
export async function printBillOfMaterials(): Promise<void> {
  console.log(JSON.stringify(await billOfMaterials(root), undefined, 2));
}
