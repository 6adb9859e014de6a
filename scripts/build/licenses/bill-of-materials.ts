import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { shippedPackages } from "./packages.ts";

type Component = { "bom-ref": string; name: string };

export type BillOfMaterials = {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/**
 * The shipped packages as CycloneDX. npm omits packages that both ship and belong to a tool, so all are
 * requested and then filtered.
 */
export async function billOfMaterials(root: string): Promise<BillOfMaterials> {
  const shipped = await shippedPackages(root);
  const refs = new Set(shipped.map(({ name, version }) => `${name}@${version}`));
  const bill = await everythingInstalled(root);
  const { component } = bill.metadata;
  const manifest: { name: string } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...component, name: manifest.name } },
    components: bill.components.filter((one) => refs.has(one["bom-ref"])),
    dependencies: bill.dependencies
      .filter(({ ref }) => refs.has(ref) || ref === component["bom-ref"])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

async function everythingInstalled(root: string): Promise<BillOfMaterials> {
  const words = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"];
  const isWindows = process.platform === "win32";
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024, shell: isWindows };
  return JSON.parse((await promisify(execFile)("npm", words, options)).stdout);
}
