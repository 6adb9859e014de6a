import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { processCartridgeImports } from "../../../lib/integrations/cartridges/work.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { canvasCartridge, zipOf } from "../../support/cartridges.ts";
import { makersOf } from "../../support/makers.ts";
import { png } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("cartridges, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  beforeAll(() => world.setNow(new Date()));

  const work = () => processCartridgeImports(world.deps, new AbortController().signal);

  it("show each part's result before anything is written, are imported into the course, and exported again", async () => {
    const university = await make.university();
    const course = await make.course(university.id);
    const author = await make.holder("instructor", university.id);
    const { page, complaints } = await visitAs(world, browser, author, `authoring/${course.id}/cartridges`);
    await page.getByLabel("Cartridge (.imscc)").setInputFiles({
      name: "waves.imscc",
      mimeType: "application/zip",
      buffer: Buffer.from(zipOf(canvasCartridge(png))),
    });
    await press(page, "Upload and preview");
    await page.getByText("Preview", { exact: true }).waitFor();
    await work();
    await page.getByText("The LTI link has no web address", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await press(page, "Import into the course");
    await page.getByText("The import", { exact: true }).waitFor();
    await work();
    await page.getByText("Open the course", { exact: true }).waitFor();
    const download = page.waitForEvent("download");
    await press(page, "Export");
    const file = await (await download).path();
    expect((await readFile(file)).subarray(0, 4).toString("latin1")).toBe("PK\u0003\u0004");
    await page.getByText("Open the course", { exact: true }).click();
    await page.getByText("Further material").first().waitFor();
    expect(complaints).toEqual([]);
  });
});
