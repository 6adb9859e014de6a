import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { headed } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const daysFrom = (moment: Date, days: number) => new Date(moment.getTime() + days * 86_400_000);

describe.skipIf(!systemBrowser)("the first screen of a teacher, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("lists open tasks, in one read, and each line leads to its task", async () => {
    const today = new Date();
    world.setNow(daysFrom(today, -9));
    const lab = await openLab(world, { due_at: daysFrom(today, 3).toISOString() });
    expect((await lab.submit({ body: "A try" })).status).toBe(201);
    const asked = await world
      .as(lab.learner)
      .post(`/community/offerings/${lab.offering.id}/threads`, { title: "Why?", body: "I wonder" });
    expect(asked.status).toBe(201);
    const idle = await make.person({ full_name: "Ida Idle" });
    const enrolled = daysFrom(today, -9).toISOString();
    await make.enrollment(idle.id, lab.offering.id, "ACTIVE", { enrolled_at: enrolled });
    world.setNow(today);

    const { page, complaints } = await visitAs(world, browser, lab.teacher, "teaching");
    const reads: string[] = [];
    page.on("request", (request) => reads.push(request.url()));
    await headed(page, "Teaching");
    await page.getByRole("heading", { name: lab.course.title }).waitFor();
    await page.getByText("2 learners not seen for a week").waitFor();
    await page.getByText("Due soon").waitFor();
    await page.getByText(lab.lab.title, { exact: true }).waitFor();
    expect(reads.filter((url) => /v1\/offerings\b/.test(url))).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);

    await page.getByRole("link", { name: "1 to grade" }).click();
    await headed(page, "Submissions");
    await page.goBack();
    await page.getByRole("link", { name: "1 question without an answer" }).click();
    await headed(page, "Discussions");
    await page.goBack();
    await page.getByRole("link", { name: "Ida Idle" }).click();
    await headed(page, "Ida Idle");
    await page.goBack();
    await page.getByRole("link", { name: lab.course.title, exact: true }).first().click();
    const week = page.getByRole("region", { name: "This week" });
    await week.getByText("1 question without an answer").waitFor();
    await week.getByRole("link", { name: "Ida Idle" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
