import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { follow, handsOn } from "./steps.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("announce to a class", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    const hands = handsOn(page);
    const card = page.locator("li.course", { hasText: "Introduction to Signals" });
    await hands.within(card).follow("Announcements");
    await hands.open("Write an announcement");
    await hands.type("Title", "No class on Friday");
    await page.keyboard.press("Tab");
    await page.keyboard.type("We go on **on Monday**.");
    await hands.press("Announce");
    expect(hands.count()).toBeLessThanOrEqual(4);
    const announcement = page.getByRole("article").filter({ hasText: "No class on Friday" });
    await announcement.getByText(/^Helena Brandt · \w+ \d+, \d{4}$/).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("hide reported posts", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await follow(page, "Introduction to Signals");
    await page.getByRole("link", { name: "Reported" }).click();
    await page.getByText("That is not what the discussions are for.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide" }).click();
    await page.getByText("No reported posts.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("write to one learner only, who answers, and then leaves the course", async () => {
    const teacher = await browser.visit("/app#/teaching");
    const { page } = teacher;
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Mina Park" }).click();
    await page.getByText("Send a private message").click();
    await page.getByLabel("Title").fill("Your lab");
    await page.getByLabel("Text", { exact: true }).fill("How are you getting on?");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("heading", { name: "Your lab" }).waitFor();
    await page.getByText("Private, with Mina Park").waitFor();

    const learner = await browser.visit(`/app${new URL(page.url()).hash.replace("teaching", "courses")}`);
    await signInAs(learner.page, "mina@northgate.example");
    await learner.page.getByText("How are you getting on?").waitFor();
    await learner.page.goto(learner.page.url().replace(/#.*$/, "#/notifications"));
    await learner.page.getByText("wrote to you: Your lab").waitFor();

    const course = new URL(page.url()).hash.replace("teaching", "courses").replace(/.discussions.*$/, "");
    await learner.page.goto(learner.page.url().replace(/#.*$/, course));
    const asked: string[] = [];
    learner.page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      return dialog.dismiss();
    });
    await learner.page.getByRole("button", { name: "Leave this course" }).click();
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]).toContain("grades, progress and notes stay");
    learner.page.once("dialog", (dialog) => dialog.accept());
    await learner.page.getByRole("button", { name: "Leave this course" }).click();
    await learner.page.getByText("You're not enrolled in this course").waitFor();
    expect(await learner.page.getByRole("button", { name: "Leave this course" }).count()).toBe(0);
    expect(await violationsOnEachSize(learner.page)).toEqual([]);
    expect([teacher.complaints, learner.complaints]).toEqual([[], []]);
  });
});
