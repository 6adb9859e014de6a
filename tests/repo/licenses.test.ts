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

describe("what ships", () => {
  it("has licences that ask for no more than their text, but for some that somebody has thought about", async () => {
    const licensed = await shippedLicenses(root);
    expect(licensed.filter(isUnconsidered)).toEqual([]);
    const names = licensed.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["hono", "pg", "preact", ...considered.keys()]));
  });

  it("stands in the bill of materials with what each package needs, and no tool does", async () => {
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
