import type { FrameLocator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { openPackage } from "../../api/integrations/scorm/open-package.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { controlMode, packSequenced, ruleOf } from "../../support/sequenced-scorm.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a sequenced SCORM package in a browser", () => {
  const world = openWorld({ PACKAGES_URL: "" });
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  const both = controlMode('flow="true" choice="true"');
  const stop = ruleOf("preConditionRule", "stopForwardTraversal", 'operator="not" condition="satisfied"');
  const archive = packSequenced(
    [
      { id: "intro" },
      {
        id: "part",
        title: "Part two",
        sequencing: both,
        items: [{ id: "quiz", sequencing: stop }, { id: "end" }],
      },
    ],
    both,
  );

  const packageIn = (page: Page): FrameLocator => page.frameLocator(".scorm-frame").frameLocator("#package");
  const shown = (page: Page, id: string) => packageIn(page).getByRole("heading", { name: id }).waitFor();

  it("follows its rules, the learner and the package, resumes on another device, and rolls up", async () => {
    const at = await openPackage(world, { archive, data: { completion: "completed", max_points: 10 } });
    const route = `courses/${at.course.id}/${at.offering.id}/${at.item.id}`;
    const first = await visitAs(world, browser, at.learner, route);
    await press(first.page, "Start");
    await shown(first.page, "intro");
    const outline = first.page.getByRole("navigation", { name: "Parts of the package" });
    await outline.getByText("Part two").waitFor();
    expect(await violationsOf(first.page)).toEqual([]);
    // The quiz is not passed, so nothing beyond it can be chosen.
    await packageIn(first.page).getByRole("button", { name: "Pass and continue" }).click();
    await shown(first.page, "quiz");
    await packageIn(first.page).getByRole("button", { name: "Bookmark" }).click();
    await press(first.page, "Previous part");
    await shown(first.page, "intro");
    await press(first.page, "Next part");
    await shown(first.page, "quiz");
    await packageIn(first.page).getByRole("button", { name: "Bookmark" }).click();
    await packageIn(first.page).getByText("Bookmark: page 2").waitFor();
    await press(first.page, "Save and close");
    await first.page.getByText("not completed").waitFor();

    const second = await visitAs(world, browser, at.learner, route);
    await press(second.page, "Continue");
    await shown(second.page, "quiz");
    await packageIn(second.page).getByText("Entry: resume").waitFor();
    await packageIn(second.page).getByText("Bookmark: page 2").waitFor();
    await packageIn(second.page).getByRole("button", { name: "Pass and continue" }).click();
    await shown(second.page, "end");
    await second.page
      .getByRole("navigation", { name: "Parts of the package" })
      .getByRole("button", { name: "intro" })
      .click();
    await shown(second.page, "intro");
    await packageIn(second.page).getByRole("button", { name: "Pass with 90" }).click();
    await second.page
      .getByRole("navigation", { name: "Parts of the package" })
      .getByRole("button", { name: "end" })
      .click();
    await shown(second.page, "end");
    await packageIn(second.page).getByRole("button", { name: "Pass with 90" }).click();
    await press(second.page, "Save and close");
    await second.page.getByText("90%").waitFor();
    const cell = async () =>
      (await at.teacher.get(`/assessments/offerings/${at.offering.id}/gradebook`)).body.rows[0].cells[0];
    await expect.poll(cell).toMatchObject({ score: 9, state: "GRADED" });
  });

  it("is previewed by staff without a seat, from part to part", async () => {
    const at = await openPackage(world, { archive });
    const teacher = await at.make.holder("instructor", at.university.id);
    const route = `courses/${at.course.id}/${at.offering.id}/${at.item.id}`;
    const { page } = await visitAs(world, browser, teacher, route);
    await press(page, "Start");
    await shown(page, "intro");
    await press(page, "Next part");
    await shown(page, "quiz");
    await page.getByText("Preview: nothing is saved.").waitFor();
  });
});
