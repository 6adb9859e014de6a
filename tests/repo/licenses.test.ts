import path from "node:path";
import { describe, expect, it } from "vitest";
import { billOfMaterials } from "../../scripts/build/licenses/bill-of-materials.ts";
import {
  considered,
  isUnconsidered,
  shippedLicenses,
  shippedPackages,
} from "../../scripts/build/licenses/packages.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("the shipped packages", () => {
  it("have licences that require only their text, except some reviewed ones", async () => {
    const licensed = await shippedLicenses(root);
    expect(licensed.filter(isUnconsidered)).toEqual([]);
    const names = licensed.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["hono", "pg", "preact", ...considered.keys()]));
  });

  it("are in the bill of materials with their dependencies, and no tool is", async () => {
    const { metadata, components, dependencies } = await billOfMaterials(root);
    const refs = components.map((component) => component["bom-ref"]);
    const shipped = await shippedPackages(root);
    expect(new Set(refs)).toEqual(new Set(shipped.map(({ name, version }) => `${name}@${version}`)));
    for (const tool of ["vitest", "typescript", "esbuild", "serverless"])
      expect(components.map(({ name }) => name)).not.toContain(tool);
    expect(metadata.component.name).toBe("learning-platform-service");
    expect(dependencies.find(({ ref }) => ref.startsWith("pg@"))?.dependsOn.join()).toContain("pg-pool@");
  });
});
