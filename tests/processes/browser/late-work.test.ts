import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const day = 86_400_000;

describe.skipIf(!systemBrowser)("late work and the lowest that are dropped, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);
  const now = Date.now();

  beforeAll(() => world.setNow(new Date(now)));

  it("are set by a teacher, and learners and staff see the points before and after", async () => {
    const due_at = new Date(now - 1.5 * day).toISOString();
    const lab = await openLab(world, { due_at });
    const route = `${lab.course.id}/${lab.offering.id}`;
    const { page } = await visitAs(world, browser, lab.teacher, `teaching/${route}/grading`);
    await page.getByLabel("Percent off per day late").fill("12.5");
    await page.getByLabel("Days accepted late").fill("30");
    await page.getByLabel("Lowest grades dropped").fill("1");
    await page.getByLabel("Grades are visible").selectOption("immediately");
    await press(page, "Save");
    await saved(page);
    expect(await violationsOf(page)).toEqual([]);
    const scheme = await world.as(lab.teacher).get(`${lab.here}/grading-scheme`);
    expect(scheme.body).toMatchObject({ late_percent_per_day: 12.5, max_late_days: 30, drop_lowest: 1 });

    const own = await visitAs(world, browser, lab.learner, `courses/${route}/${lab.lab.id}`);
    await own.page.getByText("12.5 % off per day late · accepted up to 30 days late").waitFor();
    expect(await violationsOf(own.page)).toEqual([]);
    const { id } = (await lab.submit({ body: "At last" })).body;
    const paper = (await lab.submit({ body: "In time" }, lab.learner, lab.paper)).body;
    await lab.grade(paper.id, 80);
    await lab.grade(id, 18);

    const reason = "2 days late: 18 − 5 points";
    await page.goto(new URL(`/app#/teaching/${route}/submissions/${id}`, browser.url()).href);
    await page.getByText(reason).waitFor();
    await page.goto(new URL(`/app#/teaching/${route}/gradebook`, browser.url()).href);
    await page.getByText(reason).waitFor();
    await page.getByText("dropped: one of the lowest").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await own.page.goto(new URL(`/app#/courses/${route}/grades`, browser.url()).href);
    await own.page.getByText(reason).waitFor();
    await own.page.getByText("13 / 20").waitFor();
    await own.page.getByText("1 lowest does not count").waitFor();
    expect(await violationsOf(own.page)).toEqual([]);
    expect([...own.complaints]).toEqual([]);
  });
});
