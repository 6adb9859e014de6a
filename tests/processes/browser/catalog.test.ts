import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { png } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { follow, headed, press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";
import { isRefusal } from "./write-course.ts";

describe.skipIf(!systemBrowser)("a platform with nothing in it, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);
  const make = makersOf(world);

  it("gets its subjects, domains, types and templates, and a course that is found in the catalog by them", async () => {
    const first = await make.university({ name: "The first university" });
    const admin = await make.holder("platform_admin", first.id);
    const { page, complaints } = await visitAs(world, browser, admin, "administration");
    page.on("dialog", (dialog) => dialog.accept());
    await follow(page, "Subjects and types");
    await page.getByText("No subjects yet.", { exact: false }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Subject domains");
    await page.getByText("No domains yet.", { exact: false }).waitFor();
    const addDomain = page.getByRole("region", { name: "New domain" });
    await addDomain.getByLabel("Name").pressSequentially("Engineering sciences");
    await addDomain.getByLabel("Code").pressSequentially("ENG");
    await press(page, "Create the domain");
    await page.getByRole("listitem").filter({ hasText: "Engineering sciences" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Subjects");
    const addSubject = page.getByRole("region", { name: "New subject" });
    const subject = async (name: string, code: string, below?: string) => {
      await addSubject.getByLabel("Name").pressSequentially(name);
      await addSubject.getByLabel("Code").pressSequentially(code);
      if (below) await addSubject.getByLabel("Parent subject").selectOption({ label: below });
      await press(page, "Create the subject");
      await page.locator(".subject-tree strong").getByText(name, { exact: true }).waitFor();
      await expect.poll(() => addSubject.getByLabel("Name").inputValue()).toBe("");
    };
    await subject("Engineering", "E");
    await subject("Signals", "E-S", "Engineering");
    await subject("Waves", "W");
    const cardOf = (name: string) =>
      page.locator(".subject-tree .card").filter({ has: page.locator(`strong:text-is("${name}")`) });
    const waves = cardOf("Waves");
    await waves.getByText("Edit").click();
    await waves.getByLabel("Parent subject").selectOption({ label: "Engineering › Signals" });
    await waves.getByLabel("Domain").selectOption({ label: "Engineering sciences" });
    await waves.getByRole("button", { name: "Save" }).click();
    await page.locator(".subject-tree .subject-tree .subject-tree strong").getByText("Waves").waitFor();
    const top = cardOf("Engineering");
    await top.getByText("Edit").click();
    await top.getByLabel("Parent subject").selectOption({ label: "Engineering › Signals › Waves" });
    await top.getByRole("button", { name: "Save" }).click();
    await top.getByRole("alert").waitFor();
    await top.getByLabel("Parent subject").selectOption({ label: "None" });
    await top.getByRole("button", { name: "Delete Engineering" }).click();
    await top.getByText("still in use", { exact: false }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Content types");
    const addType = page.getByRole("region", { name: "New type" });
    await addType.getByLabel("Label").pressSequentially("Podcast");
    await addType.getByLabel("Name in the API").pressSequentially("podcast");
    await press(page, "Create the type");
    await page.locator("summary[aria-label='Edit Podcast']").click();
    await press(page, "Delete Podcast");
    await expect.poll(() => page.getByText("podcast", { exact: true }).count()).toBe(0);
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Module templates");
    const addTemplate = page.getByRole("region", { name: "New template" });
    await addTemplate.getByLabel("Title").pressSequentially("Weekly unit");
    await addTemplate.getByLabel("Description of its modules").pressSequentially("What one week is about.");
    await press(page, "Create the template");
    await page.getByRole("listitem").filter({ hasText: "Weekly unit" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await page.evaluate(`location.hash = "#/authoring/new"`);
    await page.getByLabel("Title").pressSequentially("Strings and pipes");
    await page.getByLabel("Code").pressSequentially("W-1");
    await page.getByLabel("Description").pressSequentially("Why they *sound*.");
    await page.getByLabel("Level").selectOption("Introductory");
    await page.getByLabel("Main subject").selectOption({ label: "Engineering › Signals › Waves" });
    await page.getByRole("textbox", { name: "Language" }).fill("en-GB");
    await page.getByLabel("Credit hours").pressSequentially("4.5");
    await page.getByLabel("Published").check();
    await press(page, "Create the course");
    await headed(page, "Strings and pipes");
    await page.getByLabel("Title").pressSequentially("The first week");
    await page.getByText("Description, dates and conditions").click();
    await page.getByLabel("Template").selectOption({ label: "Weekly unit" });
    await page.getByLabel("Published").check();
    await press(page, "Add the module");
    await headed(page, "The first week");

    await follow(page, "Settings");
    const picture = page.getByRole("region", { name: "Picture" });
    await picture
      .getByLabel("Choose a file")
      .setInputFiles({ name: "waves.png", mimeType: "image/png", buffer: png });
    await picture.getByRole("button", { name: "Save" }).click();
    await picture.getByText("Saved", { exact: true }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Statistics");
    await page.getByText("Answers from the tree").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await follow(page, "Offerings");
    await page.getByLabel("Listed").selectOption("public");
    await press(page, "Create the offering");
    await page.getByRole("link", { name: "Go to the class" }).waitFor();
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    const learner = await visitAs(world, browser, await make.person(), "catalog");
    const seen = learner.page;
    const filters = seen.getByRole("form", { name: "Filters" });
    const course = seen.getByRole("link", { name: "Strings and pipes" });
    await course.waitFor();
    await seen.locator(".course-picture img").waitFor();
    await filters.getByLabel("Subject").selectOption({ label: "Engineering › Signals" });
    await filters.getByLabel("Language").selectOption({ label: "English" });
    await filters.getByLabel("at most").pressSequentially("4");
    await seen.getByText("No open courses match.").waitFor();
    await filters.getByLabel("at most").fill("4.5");
    await filters.getByLabel("Level").selectOption("Introductory");
    await course.waitFor();
    await seen.getByText("Introductory", { exact: true }).last().waitFor();
    expect(await violationsOnEachSize(seen)).toEqual([]);
    // A phone folds all filters but the search, and keeps what was chosen.
    await seen.setViewportSize({ width: 390, height: 844 });
    await filters.getByLabel("Level").waitFor({ state: "hidden" });
    await filters.getByText("More filters").press("Enter");
    expect(await filters.getByLabel("Level").inputValue()).not.toBe("");
    await filters.getByRole("searchbox").pressSequentially("none of this name");
    await seen.getByText("No open courses match.").waitFor();
    await filters.getByRole("searchbox").fill("");
    await seen.setViewportSize({ width: 1280, height: 800 });

    await course.click();
    await headed(seen, "What the modules cover");
    await seen.getByText("What one week is about.").waitFor();
    await seen.getByText("British English").waitFor();
    await seen.locator(".course-picture img").waitFor();
    expect(await violationsOnEachSize(seen)).toEqual([]);
    expect(learner.complaints).toEqual([]);
  });

  it("offers an outsider to be excused from a course, excuses a member, and withdraws that", async () => {
    const { university, course } = await make.topic();
    const before = await make.course(university.id, { title: "What comes before" });
    await world
      .as(await make.holder("instructor", university.id))
      .post(`/courses/${course.id}/prerequisites`, { prerequisite_course_id: before.id });
    const learner = await make.ownPerson(university.id);
    const assistant = await make.holder("ta", university.id);
    const { page, complaints } = await visitAs(
      world,
      browser,
      assistant,
      `authoring/${course.id}/exemptions`,
    );
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByText("No exemptions yet.").waitFor();
    // An assistant's screens offer no writes that they may not make.
    expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
    await page.getByLabel("E-mail", { exact: true }).pressSequentially("nobody@example.edu");
    await press(page, "Grant exemption");
    await page.getByText("It takes effect when it is accepted.").waitFor();
    await page.getByLabel("E-mail", { exact: true }).fill(learner.email);
    await press(page, "Grant exemption");
    await saved(page);
    const line = page.getByRole("listitem").filter({ hasText: "What comes before" });
    await line.waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await line.getByRole("button").click();
    await page.getByText("No exemptions yet.").waitFor();

    const outsider = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
    const offered = async () => {
      await page.getByLabel("E-mail", { exact: true }).fill(outsider.email);
      await press(page, "Grant exemption");
      await page.getByText("It takes effect when it is accepted.").waitFor();
    };
    const answers = async (answer: "Accept" | "Decline") => {
      const visit = await visitAs(world, browser, outsider, "account");
      const section = visit.page.getByRole("region", { name: "Offers" });
      await section.getByText(`an exemption: ${course.title} without What comes before`).waitFor();
      expect(await violationsOnEachSize(visit.page)).toEqual([]);
      await section.getByRole("button", { name: answer }).click();
      await section.waitFor({ state: "detached" });
      expect(visit.complaints).toEqual([]);
    };
    await offered();
    await answers("Decline");
    await page.reload();
    await page.getByText("No exemptions yet.").waitFor();
    await offered();
    await answers("Accept");
    await page.reload();
    await line.waitFor();
    expect(complaints.filter((complaint) => !isRefusal(complaint) && !complaint.includes("404"))).toEqual([]);
  });
});
