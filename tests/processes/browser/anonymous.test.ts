import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("anonymous work, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeAll(() => world.setNow(new Date()));

  it("is graded by its code, which its owner sees, until grades are released", async () => {
    const lab = await openLab(world, { anonymous: true });
    const route = `${lab.course.id}/${lab.offering.id}`;
    const { id, code } = (await lab.submit({ body: "We measured it" })).body;

    const own = await visitAs(world, browser, lab.learner, `courses/${route}/${lab.lab.id}`);
    await own.page.getByText("Attempt 1").first().click();
    await own.page.getByText(`Graded anonymously as ${code}.`).waitFor();

    const { page, complaints } = await visitAs(
      world,
      browser,
      lab.assistant,
      `teaching/${route}/submissions`,
    );
    await page
      .getByRole("row", { name: new RegExp(code) })
      .getByRole("link")
      .click();
    await page.getByText(`${code} · Attempt 1`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel(/^Points, up to \d+$/).fill("15");
    await press(page, "Save the grade");
    await page.getByText("15 of 20 points").waitFor();
    expect(await page.getByText(lab.learner.full_name ?? "").count()).toBe(0);

    const to = (part: string) =>
      page.evaluate((hash) => location.assign(hash), `#/teaching/${route}/${part}`);
    await to("gradebook");
    await page
      .getByRole("row", { name: new RegExp(lab.learner.full_name ?? "") })
      .getByText("anonymous")
      .waitFor();
    await to(`items/${lab.lab.id}`);
    await page.getByRole("row", { name: new RegExp(`${code}.*15`) }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await lab.release();
    await to(`submissions/${id}`);
    await page.getByRole("link", { name: lab.learner.full_name ?? "" }).waitFor();
    expect([...own.complaints, ...complaints]).toEqual([]);
  });

  it("is marked by two graders, and neither sees the other's mark before giving their own", async () => {
    const lab = await openLab(world, { anonymous: true, second_mark: true });
    const { id, code } = (await lab.submit({ body: "We measured it" })).body;
    const route = `teaching/${lab.course.id}/${lab.offering.id}/submissions`;
    const mark = async (person: typeof lab.assistant, points: string) => {
      const visit = await visitAs(world, browser, person, `${route}/${id}`);
      await visit.page.getByLabel(/^Points, up to \d+$/).fill(points);
      await press(visit.page, "Save my mark");
      await visit.page.getByText(`${points} points`).waitFor();
      return visit;
    };
    const one = await mark(lab.assistant, "12");
    await one.page.getByText("1 of 2 marks given. You can change yours").waitFor();
    const unmarked = await visitAs(world, browser, lab.other, route);
    await unmarked.page.getByRole("row", { name: new RegExp(`${code}.*1 of 2 marks`) }).waitFor();
    const two = await mark(lab.other, "16");
    await two.page.getByText("12 points").waitFor();
    expect(await violationsOf(two.page)).toEqual([]);
    await two.page.getByLabel(/^Points, up to \d+$/).fill("14");
    await press(two.page, "Save the agreed grade");
    await two.page.getByText("14 of 20 points").waitFor();
    expect([...one.complaints, ...unmarked.complaints, ...two.complaints]).toEqual([]);
  });
});
