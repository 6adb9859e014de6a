import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { violationsOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { focused, openDemonstration, openTopic, signIn, signInAs } from "./demonstration.ts";
import { headed } from "./steps.ts";
import { isRefusal } from "./write-course.ts";

describe.skipIf(!systemBrowser)("a learner's day in a browser", () => {
  const { world, browser } = openDemonstration();

  it("takes a timed quiz: answers are saved, and graded in the end", async () => {
    const limit = sql`jsonb_set(data_json, '{time_limit_seconds}', '600')`;
    await world.deps.db
      .update(contentItems)
      .set({ data_json: limit })
      .where(eq(contentItems.title, "Check: time shifts"));
    const before = world.deps.now();
    // The browser's own clock counts down, and may be past the end of the term.
    await world.deps.db
      .update(courseOfferings)
      .set({ term_id: null, ends_at: null })
      .where(sql`course_id = (select id from courses where title = 'Introduction to Signals')`);
    world.setNow(new Date());
    const { page } = await browser.visit("/app", "phone");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Check: time shifts");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    expect(await page.getByRole("timer").innerText()).toMatch(/^(10|9):\d\d$/);
    await page.getByLabel("0.02 s", { exact: true }).check();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Continue" }).click();
    expect(await page.getByLabel("0.02 s", { exact: true }).isChecked()).toBe(true);
    await page.getByLabel("True").check();
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByRole("heading", { name: "2 of 3 points" }).waitFor();
    await page.getByText("Right: x(t − 2)").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    world.setNow(before);
  });

  it("submits another attempt of graded work, and reads the first score", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Weighted grades");
    await page.getByText("Rounding belongs in the summary alone.").waitFor();
    await page.getByText(/^17\.5 of \d+ points$/).waitFor();
    await page.getByText("Submit another attempt").click();
    await page.getByLabel("Text", { exact: true }).fill("Rounded in the summary alone.");
    await page.getByLabel("Links, one per line").fill("https://files.northgate.example/mina/again.py");
    await page.getByRole("button", { name: "Hand in", exact: true }).click();
    await page.getByText("Attempt 2").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("takes notes of a topic", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Weighted grades");
    await page.getByText("My notes").click();
    await page.getByLabel("New note").fill("An empty list has no mean.");
    await page.getByRole("button", { name: "Add the note" }).click();
    const note = page.locator(".notes li", { hasText: "An empty list has no mean." });
    await note.locator(".prose").waitFor();
    const focusedField = () => page.evaluate<string | undefined>("document.activeElement?.value");
    await note.getByRole("button", { name: "Edit" }).press("Enter");
    await expect.poll(focusedField).toBe("An empty list has no mean.");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Nor has none.");
    await page.locator(".notes li").getByRole("button", { name: "Save" }).press("Enter");
    // Keeps its line breaks.
    const kept = page.locator(".notes .prose", { hasText: "Nor has none." });
    await expect.poll(() => kept.innerText()).toBe("An empty list has no mean.\nNor has none.");
    await expect.poll(() => focused(page)).toBe("Edit");
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("reads the items that count in a course, and their grades", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: "Programming with Python", exact: true }).click();
    await page.getByRole("link", { name: "Grades", exact: true }).click();
    await page
      .getByRole("row", { name: /Weighted grades/ })
      .getByText(/^17\.5 \/ \d+$/)
      .waitFor();
    await expect.poll(() => focused(page)).toBe("My grades");
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("repeats the cards that are due", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: "Flashcards" }).click();
    await page.getByText("2 cards are due.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Review" }).first().click();
    for (const card of ["Card 1 of 2", "Card 2 of 2"]) {
      await page.getByText(card).waitFor();
      await page.getByRole("button", { name: "Show the answer" }).click();
      await page.getByRole("button", { name: "Good" }).waitFor();
      if (card === "Card 1 of 2") expect(await violationsOnEachSize(page)).toEqual([]);
      await page.keyboard.press("3");
    }
    await page.getByText("2 cards reviewed.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("reads notifications, and marks them as read", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: /^Notifications, \d+ unread/ }).click();
    await page
      .getByRole("link", { name: /Weighted grades/ })
      .first()
      .waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    const unread = await page.getByRole("button", { name: "Mark as read" }).count();
    await page.getByRole("button", { name: "Mark as read" }).first().click();
    await expect.poll(() => page.getByRole("button", { name: "Mark as read" }).count()).toBe(unread - 1);
    // The button is gone; the focus is in the rest of its line.
    expect(await page.evaluate("document.activeElement.closest('.notifications li') !== null")).toBe(true);
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByRole("link", { name: "Notifications", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("answers a reply that a notification leads to", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: /^Notifications/ }).click();
    await page
      .getByRole("link", { name: /replied in/ })
      .first()
      .click();
    await page.getByText("answer", { exact: true }).waitFor();
    // Browsers accept blanks. The service's error appears at the field, which gets the focus.
    const reply = page.getByLabel("Your reply");
    await reply.fill("  ");
    await page.getByRole("button", { name: "Post", exact: true }).click();
    await expect.poll(() => reply.getAttribute("aria-invalid")).toBe("true");
    const fault = page.locator(`[id="${await reply.getAttribute("aria-describedby")}"]`);
    expect(await fault.innerText()).toBe("This cannot be empty");
    expect(await reply.evaluate((field) => field === document.activeElement)).toBe(true);
    // Pasted text with an invisible character.
    await reply.fill("Now I\0 see it.");
    await page.getByRole("button", { name: "Post", exact: true }).click();
    await page.locator(".post", { hasText: "Now I see it." }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);
  });

  it("finds their account, and requests a feature", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: "Mina Park" }).click();
    await page.getByRole("heading", { name: "My account" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Feature requests" }).click();
    await page.getByLabel("Title").fill("Dark diagrams");
    await page
      .getByLabel("What it should do, and for whom")
      .fill("Diagrams that follow the system's colors.");
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.getByRole("heading", { name: "Dark diagrams" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("reviews a course, and reports another review", async () => {
    const { page, complaints } = await browser.visit("/app#/catalog");
    await signInAs(page, "noor@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("link", { name: "Programming with Python" }).click();
    await page.getByText("Reviews of the course").click();
    await page.getByLabel("Rating").selectOption("4");
    await page.getByLabel("Comment, visible to others").fill("Clear, and never boring.");
    await page.getByRole("button", { name: "Submit review" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
    await page.getByRole("button", { name: "Report" }).first().click();
    await page.getByLabel("Why should staff look at it?").fill("It names another learner.");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Report" }).first().click();
    await page.getByText("Reported. Staff will look at it.").waitFor();
    await page.reload();
    await page.getByText("Reviews of the course").click();
    await expect
      .poll(() => page.getByLabel("Comment, visible to others").inputValue())
      .toBe("Clear, and never boring.");
    await page.getByRole("button", { name: "Delete review" }).click();
    await page.getByRole("button", { name: "Submit review" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("finds a certificate, which everyone with its URL can verify", async () => {
    const { page } = await browser.visit("/app#/certificates");
    await signInAs(page, "noor@northgate.example");
    await page.getByRole("heading", { name: "Programming with Python" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    for (const name of ["PDF to print", "Verification page", "Open Badge"]) {
      const address = await page.getByRole("link", { name }).getAttribute("href");
      expect((await fetch(address ?? "")).status, name).toBe(200);
    }
  });

  it("enrolls in a course, and waits for a seat in a full one", async () => {
    const { db } = world.deps;
    await db
      .update(courseOfferings)
      .set({ capacity: 1 })
      .where(sql`course_id = (select id from courses where code = 'FIS-110')`);
    const enroll = async (email: string) => {
      const { page } = await browser.visit("/app#/catalog");
      await signInAs(page, email);
      await page.getByRole("searchbox").pressSequentially("física");
      await page.getByRole("button", { name: "Enroll in Introducción a la física" }).click();
      return page;
    };
    // A seat leads into the course.
    await headed(await enroll("mina@northgate.example"), "Introducción a la física");
    const waiting = await enroll("noor@northgate.example");
    await waiting.getByText("On the waiting list, number 1").waitFor();
    expect(await violationsOf(waiting)).toEqual([]);
    await waiting.getByRole("link", { name: "My courses" }).click();
    await waiting.getByRole("button", { name: "Leave the waiting list" }).click();
    await expect.poll(() => waiting.getByText("On the waiting list").count()).toBe(0);
  });
});
