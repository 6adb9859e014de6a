import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { excessAtEachWidth, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { follow, headed, standBeside } from "./steps.ts";
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
    await page.getByText("2 learners inactive for a week").waitFor();
    await page.getByText("Due soon").waitFor();
    await page.getByText(lab.lab.title, { exact: true }).waitFor();
    expect(reads.filter((url) => /v1\/offerings\b/.test(url))).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);

    await page.getByRole("link", { name: "1 to grade" }).click();
    await headed(page, "Submissions");
    await page.goBack();
    await page.getByRole("link", { name: "1 unanswered question" }).click();
    await headed(page, "Discussions");
    await page.goBack();
    await page.getByRole("link", { name: "Ida Idle" }).click();
    await headed(page, "Ida Idle");
    await page.goBack();
    await page.getByRole("link", { name: lab.course.title, exact: true }).first().click();
    const week = page.getByRole("region", { name: "This week" });
    await week.getByText("1 unanswered question").waitFor();
    await week.getByRole("link", { name: "Ida Idle" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is the desk of the role, and a learner's entries are behind a switch for staff", async () => {
    const { university, course } = await make.topic();
    const entriesOf = (page: Page) => page.locator(".top nav a").allInnerTexts();
    const ofLearners = ["My courses", "Catalog", "Flashcards", "Search", "Certificates"];
    const teacher = await make.holder("instructor", university.id);
    const { page, complaints } = await visitAs(world, browser, teacher, "");
    await page.getByRole("heading", { name: course.title }).waitFor();
    expect(await entriesOf(page)).toEqual(["Teaching", "Prompts"]);
    expect(await page.locator(".top nav [aria-current=page]").innerText()).toBe("Teaching");
    await page.getByRole("button", { name: "Learning" }).press("Enter");
    expect(await entriesOf(page)).toEqual(["Teaching", "Prompts", ...ofLearners]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await follow(page, "My courses");
    await page.getByText("You're not enrolled in any courses yet.").waitFor();
    // The switch stays open where a learner's screen is shown.
    await page.reload();
    await page.getByRole("link", { name: "Certificates" }).waitFor();

    const learner = await visitAs(world, browser, await make.person(), "");
    await learner.page.locator("#my-courses").waitFor();
    expect(await entriesOf(learner.page)).toEqual(ofLearners);
    expect([...complaints, ...learner.complaints]).toEqual([]);
  });

  it("is a start page for administrators, which finds each setting by its words", async () => {
    const { university } = await make.topic();
    const admin = await make.holder("university_admin", university.id);
    const { page, complaints } = await visitAs(world, browser, admin, "");
    await headed(page, "Administration");
    const setup = page.getByRole("region", { name: "Setup" });
    await setup.getByRole("listitem").filter({ hasText: "Add terms" }).getByText("open").waitFor();
    await setup
      .getByRole("listitem")
      .filter({ hasText: "Create a first course" })
      .getByText("Done")
      .waitFor();
    await page.getByRole("region", { name: "Problems" }).getByText("No problems found.").waitFor();
    const people = page.getByRole("region", { name: "Newest people" });
    await people.getByRole("link", { name: admin.full_name }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    // Columns follow the size of the text.
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await standBeside(page, ".columns > .stack", ".columns > section")).toBe(true);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await expect.poll(() => standBeside(page, ".columns > .stack", ".columns > section")).toBe(false);
    await page.evaluate("document.documentElement.style.fontSize = ''");

    const groups = page.getByRole("navigation", { name: "Areas of the administration" });
    expect(await groups.getByRole("link").allInnerTexts()).toEqual([
      ...["Start", "People", "Teaching", "Connections", "Rules"],
    ]);
    const find = page.getByRole("searchbox", { name: "Find a setting" });
    await find.pressSequentially("canvas");
    await page.getByRole("link", { name: "LMSs" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await find.press("Enter");
    await headed(page, "LMSs");
    await find.pressSequentially("no such words");
    await page.getByText("Nothing found").waitFor();

    await follow(page, "Start");
    await people.getByRole("searchbox").pressSequentially(admin.full_name);
    await people.getByRole("button", { name: "Search" }).click();
    await headed(page, "People");
    await page.locator(".lines").getByRole("link", { name: admin.full_name }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("lists an administrator's problems, each with the screen that solves it", async () => {
    const university = await make.university();
    const admin = await make.holder("university_admin", university.id);
    const files = { "people.csv": "email,full_name\r\nnot-an-address,Nobody\r\n" };
    const started = await world.as(admin).post(`/universities/${university.id}/imports`, {
      format: "CSV",
      dry_run: false,
      override: false,
      files,
    });
    expect(started.status).toBe(201);
    const { page } = await visitAs(world, browser, admin, "");
    await page.getByRole("link", { name: /^Import of .*: 1 rejected row$/ }).click();
    await headed(page, "Imports");
  });
});
