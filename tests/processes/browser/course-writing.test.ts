import { describe, expect, it } from "vitest";
import { systemBrowser } from "../../support/browser.ts";
import { certify, setGrading } from "./certify.ts";
import { copyCourse, copyOffering, importQuestions } from "./copy-course.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { setDates } from "./set-dates.ts";
import { follow } from "./steps.ts";
import {
  createCourse,
  isRefusal,
  offerCourse,
  takeCourse,
  writeItems,
  writeModules,
  writeQuestions,
} from "./write-course.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("write a course with content of all six kinds, which a learner takes and has a certificate of", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await createCourse(page, "EE-150");
    await writeModules(page);
    await writeQuestions(page);
    await writeItems(page);
    await offerCourse(page);

    const learner = await browser.visit("/app");
    await signInAs(learner.page, "mina@northgate.example");
    await takeCourse(learner.page);
    expect(learner.complaints).toEqual([]);

    await page.getByRole("link", { name: "Go to the class" }).click();
    await setGrading(page, "A wave of your own");
    await certify(page, "Mina Park");
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    await learner.page.goto(new URL("/app#/certificates", browser.url()).href);
    await learner.page.getByRole("listitem").filter({ hasText: "Waves" }).getByText("revoked").waitFor();
  });

  it("copy an offering with its dates moved and a course, and import questions that are put right first", async () => {
    const { page, complaints } = await browser.visit("/app#/authoring");
    await signInAs(page, "helena@northgate.example");
    await follow(page, "Introduction to Signals");
    await follow(page, "Offerings");
    await page.locator(".lines a").first().click();
    await copyOffering(page);
    await setDates(page);
    await follow(page, "Settings");
    await copyCourse(page, "EE-101", "EE-160");
    await follow(page, "Questions");
    await importQuestions(page);
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);
  });
});
