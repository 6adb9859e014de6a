import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("teachers' notes for the tutor, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  async function course() {
    const made = await make.topic();
    const instructor = await make.holder("instructor", made.university.id);
    return { ...made, instructor, author: world.as(instructor) };
  }

  const open = (page: Page, label: string) => page.locator("summary", { hasText: label }).click();
  const notes = (page: Page) => page.getByLabel("Worked solutions and hints");
  const save = (page: Page, name: string) =>
    page.getByRole("region", { name, exact: true }).getByRole("button", { name: "Save" }).click();

  it("are written next to an item, saved while typing, with a notice of another author's text", async () => {
    const { course: of, item, instructor, author } = await course();
    const path = `/content/${item.id}/tutor-notes`;
    const { page, complaints } = await visitAs(
      world,
      browser,
      instructor,
      `authoring/${of.id}/items/${item.id}`,
    );
    await page.getByLabel("Tutor instruction").fill("Ask before you tell.");
    await press(page, "Save");
    await saved(page);
    expect((await author.get(`/content/${item.id}`)).body.tutor_line).toBe("Ask before you tell.");

    await open(page, "Notes for the tutor");
    await notes(page).pressSequentially("Shift by $-k$.");
    await page
      .getByLabel("What learners often get wrong")
      .pressSequentially("Left for right\nRight for left\n");
    expect(await violationsOnEachSize(page)).toEqual([]);
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await open(page, "Notes for the tutor");
    await expect.poll(() => notes(page).inputValue()).toBe("Shift by $-k$.");
    await author.put(path, { never_say: ["The answer"] });
    await save(page, "Notes for the tutor");
    await page.getByText("Someone else changed this in the meantime.").waitFor();
    expect((await author.get(path)).body).toMatchObject({ notes: "", common_errors: [] });
    await press(page, "Save anyway");
    await saved(page);
    expect((await author.get(path)).body).toMatchObject({
      notes: "Shift by $-k$.",
      common_errors: ["Left for right", "Right for left"],
      never_say: ["The answer"],
    });
    // The error of a text that is too long appears at its field.
    await page.getByLabel("What learners should know at the end").fill("x".repeat(1001));
    await save(page, "Notes for the tutor");
    await page.locator("[name=key_facts][aria-invalid=true]").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints.filter((one) => !/412|422/.test(one))).toEqual([]);
  });

  it("are written for a whole course, too, and read by an assistant next to the class's tree", async () => {
    const { course: of, offering, item, instructor, author, university } = await course();
    const { page } = await visitAs(world, browser, instructor, `authoring/${of.id}/settings`);
    await open(page, "Notes for the tutor, for the whole course");
    await page.getByLabel("What the tutor should never say").fill("Never the mark");
    await save(page, "Notes for the tutor, for the whole course");
    await saved(page);
    expect((await author.get(`/courses/${of.id}/tutor-notes`)).body.never_say).toEqual(["Never the mark"]);

    await author.put(`/content/${item.id}/tutor-notes`, {
      notes: "A **worked** one",
      key_facts: ["It moves"],
    });
    const assistant = await make.holder("ta", university.id);
    const visit = await visitAs(
      world,
      browser,
      assistant,
      `teaching/${of.id}/${offering.id}/topics/${item.id}`,
    );
    await open(visit.page, "Notes for the tutor");
    await visit.page.locator("strong", { hasText: "worked" }).waitFor();
    await visit.page.getByText("It moves").waitFor();
    expect(await visit.page.getByRole("textbox").count()).toBe(0);
    expect(await violationsOnEachSize(visit.page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});
