import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openTutor, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const options = [
  { id: "A", text: "To the left" },
  { id: "B", text: "To the right" },
];
const fenced = (name: string, value: object) => `\n\n\`\`\`${name}\n${JSON.stringify(value)}\n\`\`\``;
const asks = (said: string, of = options) => ({
  chunks: [
    said,
    fenced("mcq", { questionId: "q1", question: "Which way does it move?", options: of }),
    fenced("key", { answer: of[0]?.id, misconceptions: [], skill: "Shifts" }),
  ],
});

describe.skipIf(!systemBrowser)("the moves next to the options, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  async function asked(size: Size = "desktop", of = options) {
    const made = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, made.offering.id);
    world.llm.reset();
    world.llm.script(asks("Welcome.", of));
    const address = `courses/${made.course.id}/${made.offering.id}/${made.item.id}`;
    const visit = await visitAs(world, browser, learner, address, size);
    if (size === "phone") await openTutor(visit.page);
    await press(visit.page, "Start with the tutor");
    await question(visit.page).waitFor();
    return { ...made, ...visit, learner, address };
  }

  const question = (page: Page) => page.getByRole("group", { name: "Which way does it move?" });
  const move = (page: Page, name: string) => question(page).getByRole("button", { name, exact: true });
  const said = async (learner: { id: number }) =>
    (
      await world.deps.db.execute(sql`
        select content from chat_messages where role = 'user'
          and session_id in (select id from chat_sessions where user_id = ${learner.id}) order by id`)
    ).rows.map(({ content }) => content);

  it.each<Size>(["phone", "desktop"])(
    "on a %s ask once, also by a double click, and leave the question and the path as they are",
    async (size) => {
      const { page, complaints, learner } = await asked(size);
      for (const name of ["Give me a hint", "I don't know", "Show an example", "In simpler words"])
        expect(await move(page, name).count()).toBe(1);
      expect(await violationsOnEachSize(page)).toEqual([]);
      const { promise, resolve } = Promise.withResolvers<void>();
      world.llm.script({ chunks: ["Mind ", promise, "the sign."] }, { chunks: ["Right."] });
      await move(page, "Give me a hint").dblclick();
      await page.locator(".receiving", { hasText: "Mind" }).waitFor();
      expect(await question(page).count()).toBe(0);
      resolve();
      await page.getByText("Mind the sign.").waitFor();
      await question(page).waitFor();
      expect(await page.locator(".own.move").innerText()).toBe("Give me a hint");
      expect(await page.locator(".path .on").count()).toBe(2);
      // The question appears once, below, and not with each hint.
      expect(await page.locator(".asked-before").count()).toBe(0);
      expect(await said(learner)).toEqual(["Start.", '{"questionId":"q1","answer":"@hint"}']);
      expect(await violationsOnEachSize(page)).toEqual([]);
      await page.reload();
      await question(page).waitFor();
      expect(await page.locator(".own.move").innerText()).toBe("Give me a hint");
      await page.getByRole("button", { name: "A To the left" }).click();
      await page.getByText("Right.", { exact: true }).waitFor();
      await expect.poll(() => page.locator(".path .on").count()).toBe(3);
      expect(complaints).toEqual([]);
    },
  );

  it.each([
    ["hint", "hint"],
    ["@hint", '{"type":"followup","text":"@hint"}'],
    ["@Simpler", '{"type":"followup","text":"@Simpler"}'],
  ])("are not typed text: %s is free text, as it was typed", async (typed, sent) => {
    const { page, learner } = await asked();
    world.llm.script({ chunks: ["In words."] });
    await page.getByLabel("Ask in your own words").pressSequentially(typed);
    await page.keyboard.press("Enter");
    const beside = page.getByRole("region", { name: "Side question" });
    await beside.getByText("In words.").waitFor();
    expect((await beside.locator(".own").innerText()).trim()).toBe(typed);
    expect(await said(learner)).toEqual(["Start.", sent]);
    expect(await page.locator(".path .on").count()).toBe(1);
    expect(await move(page, "Give me a hint").count()).toBe(1);
  });

  it("are not offered if an option has the same name", async () => {
    const { page } = await asked("desktop", [
      { id: "A", text: "To the left" },
      { id: "@hint", text: "A tip" },
    ]);
    await move(page, "In simpler words").waitFor();
    expect(await move(page, "Give me a hint").count()).toBe(0);
  });

  it("are in the map of the class, with their labels and counts", async () => {
    const { page, university, course, offering, item } = await asked();
    world.llm.script({ chunks: ["Mind the sign."] });
    await move(page, "Give me a hint").click();
    await page.getByText("Mind the sign.").waitFor();
    const instructor = await make.holder("instructor", university.id);
    const address = `teaching/${course.id}/${offering.id}/topics/${item.id}`;
    const map = await visitAs(world, browser, instructor, address);
    await map.page.getByRole("article", { name: "Give me a hint" }).waitFor();
    await map.page.getByRole("article", { name: "Start" }).getByText("Give me a hint: 1").waitFor();
    expect(await violationsOnEachSize(map.page)).toEqual([]);
  });

  it("appear in a second tab, and are sent again once the network is back", async () => {
    const { page } = await asked();
    const other = await page.context().newPage();
    // Simulates another device, without messages between tabs.
    await other.addInitScript("delete globalThis.BroadcastChannel");
    await other.goto(page.url());
    await question(other).waitFor();
    world.llm.script({ chunks: ["Well done."] });
    await page.getByRole("button", { name: "A To the left" }).click();
    await page.getByText("Well done.").waitFor();
    await move(other, "Give me a hint").click();
    await other.getByRole("alert").waitFor();
    await other.getByText("Well done.").waitFor();
    expect(await violationsOnEachSize(other)).toEqual([]);

    const again = await asked();
    await again.page.context().setOffline(true);
    await move(again.page, "I don't know").click();
    await again.page.getByRole("button", { name: "Try again" }).waitFor();
    await again.page.context().setOffline(false);
    world.llm.script({ chunks: ["One step."] });
    await press(again.page, "Try again");
    await again.page.getByText("One step.").waitFor();
    expect(await said(again.learner)).toEqual(["Start.", '{"questionId":"q1","answer":"@dont_know"}']);
  });
});
