import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openPackage } from "../../api/integrations/scorm/open-package.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { packScorm } from "../../support/packaged-scorm.ts";
import { packageOf } from "../../support/scorm.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("staff with a SCORM package", () => {
  const world = openWorld({ PACKAGES_URL: "" });
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  it("read the results of their class, and export them", async () => {
    const at = await openPackage(world, { archive: await packScorm("1.2") });
    const commit = async (lesson_status: string, raw: string) => {
      const { body } = await at.launch({ new_attempt: true });
      const core = { lesson_status, score: { raw }, session_time: "0000:10:00" };
      const sent = await at.asLearner.post("/scorm/commits", {
        session: body.session,
        sequence: 1,
        cmi: { core },
      });
      expect(sent.status).toBe(200);
    };
    await commit("failed", "30");
    await commit("passed", "90");
    const teacher = await at.make.holder("instructor", at.university.id);
    const route = `teaching/${at.course.id}/${at.offering.id}/items/${at.item.id}`;
    const { page, complaints } = await visitAs(world, browser, teacher, route);
    const table = page.getByRole("region", { name: "Attempts by learner" }).getByRole("table");
    await table.waitFor();
    const rows = await table.getByRole("row").allTextContents();
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain("90% · passed · completed");
    expect(await violationsOf(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await press(page, "Export as CSV");
    const file = await (await download).path();
    const [heading, line] = (await readFile(file, "utf8")).trim().split("\r\n");
    expect(heading).toBe(
      "user_id,full_name,email,attempt_number,started_at,committed_at,completed_at,passed,score_scaled,total_seconds",
    );
    expect(line).toMatch(new RegExp(`^${at.learner.id},.*,true,0\\.9,\\d+$`));
    expect(complaints).toEqual([]);
  });

  it("upload a package, read why a faulty one cannot be used, and use a good one", async () => {
    const at = await openPackage(world);
    const teacher = await at.make.holder("instructor", at.university.id);
    const item = await at.make.contentItem(at.module, at.university.id, { type: "scorm", title: "New" });
    const { page } = await visitAs(world, browser, teacher, `authoring/${at.course.id}/items/${item.id}`);
    const choose = async (bytes: Uint8Array) => {
      const field = page.getByRole("group", { name: "SCORM package (ZIP)", exact: true });
      await field
        .getByLabel("Choose a file")
        .setInputFiles({ name: "package.zip", mimeType: "application/zip", buffer: Buffer.from(bytes) });
      await press(page, "Check and use the package");
    };
    await choose(packageOf({ "index.html": "<title>Start</title>" }));
    await page.getByText("imsmanifest.xml is not at the top of the package").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await choose(await packScorm("2004"));
    await page.getByText("Waves · SCORM 2004").waitFor();
    await press(page, "Save");
    await saved(page);
    const { body } = await at.teacher.get(`/content/${item.id}`);
    expect(body.data_json.file_id).toEqual(expect.any(Number));
  });
});
