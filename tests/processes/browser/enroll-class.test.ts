import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { excessAtEachWidth, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { handsOn } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("enrolling a class, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("previews a pasted list line by line, and enrolls it with four clicks from the desk", async () => {
    const { university, course, offering } = await make.topic();
    const instructor = await make.holder("instructor", university.id);
    const people = await Promise.all(Array.from({ length: 30 }, () => make.person()));
    // People of the university. Others receive an offer.
    const former = await make.offering(await make.course(university.id));
    for (const { id } of people) await make.enrollment(id, former.id);
    const [seated, ...others] = people;
    if (!seated) throw new Error("thirty of them");
    await make.enrollment(seated.id, offering.id);
    const { page, complaints } = await visitAs(world, browser, instructor, "");
    const hands = handsOn(page);
    await hands.within(page.locator("li.course", { hasText: course.title })).follow("Enroll learners");
    const card = page.getByRole("region", { name: "Enroll a class" });
    const list = card.getByLabel("Addresses or numbers");
    await hands.type("Addresses or numbers", "Ada Lovelace");
    await card.getByText("Only a name. Add an address or a number").waitFor();
    // The unsent list survives a reload.
    await page.reload();
    await expect.poll(() => list.inputValue()).toBe("Ada Lovelace");
    const lines = [...others.map(({ email }) => email), seated.email, others[0]?.email, "Ada Lovelace"];
    await list.fill(lines.join("\n"));
    await card.getByRole("row", { name: /Already in the class/ }).waitFor();
    await card.getByRole("row", { name: /Twice in the list/ }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    await hands.press("Enroll 29 people");
    expect(hands.count()).toBeLessThanOrEqual(4);
    await card.getByText("All lines enrolled or offered.").waitFor();
    const { body } = await world
      .as(instructor)
      .get(`/courses/${course.id}/offerings/${offering.id}/enrollments?limit=100`);
    expect(body).toHaveLength(30);
    expect(complaints).toEqual([]);

    const saved = page.waitForEvent("download");
    await card.getByRole("button", { name: "CSV", exact: true }).click();
    const template = await readFile(await (await saved).path(), "utf8");
    expect(template).toContain("ada.lovelace@example.edu,Ada Lovelace,s-1815");
    const strangers = "email\r\nnobody-at-all@example.edu\r\n";
    await card.getByLabel("Or choose a CSV file").setInputFiles({
      ...{ name: "class.csv", mimeType: "text/csv", buffer: Buffer.from(strangers) },
    });
    await card.getByRole("button", { name: "Enroll 1 person" }).click();
    await card.getByRole("row", { name: /Offered by mail/ }).waitFor();
  });
});
