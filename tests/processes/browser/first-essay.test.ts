import { describe, expect, it } from "vitest";
import { excessAtEachWidth, violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { handsOn, headed } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("grading, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it("takes four clicks and fields from the desk to the first graded essay", async () => {
    world.setNow(new Date());
    const lab = await openLab(world);
    const essay = await lab.submit({ body: "Waves carry energy." }, lab.learner, lab.paper);
    const { page, complaints } = await visitAs(world, browser, lab.teacher, "");
    const hands = handsOn(page);
    await hands.follow("1 to grade");
    await headed(page, "Submissions");
    await hands.follow(lab.paper.title);
    await page.getByText("Waves carry energy.").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    await hands.type("Points, up to 80", "64");
    await hands.press("Save the grade");
    await expect.poll(async () => (await lab.read(essay.body.id)).body.status).toBe("graded");
    expect(hands.count()).toBeLessThanOrEqual(4);
    expect((await lab.gradebook()).body.rows[0].cells).toEqual(
      expect.arrayContaining([expect.objectContaining({ score: 64 })]),
    );
    expect(complaints).toEqual([]);
  });
});
