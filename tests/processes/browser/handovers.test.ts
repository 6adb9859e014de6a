import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { chooseInTutor, follow, headed, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const asked = {
  questionId: "q1",
  question: "Which way does it move?",
  options: [
    { id: "A", text: "To the left" },
    { id: "B", text: "To the right" },
  ],
};
const mcq = `\n\n\`\`\`mcq\n${JSON.stringify(asked)}\n\`\`\``;

describe.skipIf(!systemBrowser)("a learner whom the tutor does not help, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  /** A learner one step into a topic of their class. */
  async function inTopic() {
    const made = await make.topic();
    const learner = await make.person({ full_name: "Ada Okafor" });
    await make.enrollment(learner.id, made.offering.id);
    world.llm.reset();
    world.llm.script({ chunks: ["Welcome.", mcq] }, { chunks: ["Not *quite*."] });
    const address = `courses/${made.course.id}/${made.offering.id}/${made.item.id}`;
    const visit = await visitAs(world, browser, learner, address);
    await press(visit.page, "Start with the tutor");
    await visit.page.getByRole("button", { name: "A To the left" }).click();
    await visit.page.getByText("Not quite.").waitFor();
    const instructor = await make.holder("instructor", made.university.id);
    return {
      ...made,
      ...visit,
      learner,
      instructor,
      class: `teaching/${made.course.id}/${made.offering.id}`,
    };
  }

  const ask = (page: Page) => page.getByRole("dialog", { name: "Ask a person", exact: true });

  it("asks the teachers, who find it in their inbox, reply, and correct the stored answer", async () => {
    const { page, complaints, instructor, class: teaching, item, learner } = await inTopic();
    await chooseInTutor(page, "Ask a person");
    const question = ask(page).getByLabel("Your question");
    await question.pressSequentially("Why is it **not** left?");
    // The draft remains, and the last answer and its message are preselected.
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await chooseInTutor(page, "Ask a person");
    await expect.poll(() => question.inputValue()).toBe("Why is it **not** left?");
    const boxes = ask(page).getByRole("checkbox");
    expect(
      await boxes.evaluateAll((all) => all.map((box) => (box as unknown as { checked: boolean }).checked)),
    ).toEqual([false, true, true]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    for (const name of [/To the left/, /Not \*quite/])
      await ask(page).getByRole("checkbox", { name }).uncheck();
    await ask(page).getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("Choose at least one message.").waitFor();
    for (const name of [/Welcome/, /To the left/, /Not \*quite/])
      await ask(page).getByRole("checkbox", { name }).check();
    await ask(page).getByRole("button", { name: "Ask", exact: true }).dblclick();
    const told = page.getByRole("region", { name: "You asked the teachers" });
    await told.getByText("No replies yet.").waitFor();
    const kept = await world.deps.db.execute(
      sql`select from tutor_handovers where session_id in (select id from chat_sessions where user_id = ${learner.id})`,
    );
    expect(kept.rowCount).toBe(1);
    expect(await violationsOnEachSize(page)).toEqual([]);

    const staff = await visitAs(world, browser, instructor, teaching);
    await follow(staff.page, "Tutor");
    await headed(staff.page, "Tutor inbox");
    await follow(staff.page, "Why is it **not** left?");
    await staff.page.locator("strong", { hasText: "not" }).waitFor();
    const excerpt = staff.page.getByRole("log");
    await excerpt.getByText("To the left").last().waitFor();
    await excerpt.getByText("Which way does it move?").waitFor();
    expect(await excerpt.getByText("questionId").count()).toBe(0);
    expect(await violationsOnEachSize(staff.page)).toEqual([]);
    await staff.page.getByRole("button", { name: "Pin" }).click();
    await staff.page.getByText("pinned", { exact: true }).waitFor();
    await excerpt.waitFor();
    await staff.page.getByLabel("Your reply").fill("Look at the **sign**.");
    await press(staff.page, "Post");
    await staff.page.locator("strong", { hasText: "sign" }).waitFor();

    // Returning to the page loads the reply.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await told.getByText(instructor.full_name).waitFor();
    await told.locator("strong", { hasText: "sign" }).waitFor();

    await follow(staff.page, "Edit the stored answer at its end");
    const card = staff.page.getByRole("article", { name: "A · To the left" });
    await card.getByLabel("Answer for later learners").fill("No: mind the sign.");
    expect(
      await staff.page.evaluate("document.activeElement?.ariaLabel ?? document.activeElement?.name"),
    ).toBeTruthy();
    expect(await violationsOnEachSize(staff.page)).toEqual([]);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("No: mind the sign.").first().waitFor();
    await staff.page.evaluate(`location.hash = "#/${teaching}/tutor"`);
    await staff.page.getByText("No open questions.").waitFor();
    expect(await violationsOnEachSize(staff.page)).toEqual([]);
    await staff.page.evaluate(`location.hash = "#/${teaching}/topics/${item.id}?node=2147483647"`);
    await staff.page.getByText("This answer is no longer stored.").waitFor();
    expect(staff.complaints).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("asks the class about a free-form message; other people do not get the offer", async () => {
    const { page, course, offering, item } = await inTopic();
    world.llm.script({ chunks: ["Privately."] });
    await page.getByLabel("Ask in your own words").pressSequentially("But why?");
    // Text typed while an answer streams remains in its field.
    await page.locator(".receiving").waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    const beside = page.getByRole("dialog", { name: "Ask a person about the side question" });
    await page.getByText("Privately.").waitFor();
    await press(page, "Ask a person about the side question");
    await beside.getByLabel("Your question").fill("Who knows?");
    await beside.getByLabel("Visible to").selectOption("CLASS");
    await beside.getByRole("button", { name: "Ask", exact: true }).click();
    const told = page.getByRole("region", { name: "You asked the class" });
    await told.getByText("Who knows?").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await told.getByRole("link", { name: "Open the discussion" }).click();
    const handed = page.getByRole("log", { name: "Handed-off messages" });
    await handed.getByText("Privately.").waitFor();
    expect(await page.getByRole("link", { name: /^Edit the stored/ }).count()).toBe(0);
    expect(await violationsOnEachSize(page)).toEqual([]);

    const address = `courses/${course.id}/${offering.id}/${item.id}`;
    const stranger = await visitAs(world, browser, await make.person(), address);
    await press(stranger.page, "Start with the tutor");
    await stranger.page.getByText("Welcome.").waitFor();
    await stranger.page.getByLabel("Conversation menu").click();
    await stranger.page.getByRole("button", { name: "New conversation" }).waitFor();
    expect(await stranger.page.getByRole("button", { name: "Ask a person" }).count()).toBe(0);
  });
});
