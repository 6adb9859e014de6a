import { desc, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { chatMessages, chatSessions } from "../../../schema/db/tutor/chat.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openDemonstration, openTopic, signIn } from "./demonstration.ts";
import { askedQuestion, chooseInTutor } from "./steps.ts";

describe.skipIf(!systemBrowser)("conversations with the tutor, in a browser", () => {
  const { world, browser } = openDemonstration();

  it("starts, finds, names and deletes conversations, and reads one to its first message", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["Hello.", askedQuestion(1)] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "What a variable is");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
    const [first] = await world.deps.db.select().from(chatSessions).orderBy(desc(chatSessions.id)).limit(1);
    if (!first) throw new Error("no session");
    await world.deps.db.insert(chatMessages).values(
      Array.from({ length: 210 }, (_, at) => ({
        ...{ session_id: first.id, role: "user" as const },
        content: at === 0 ? "The very first words" : `Words ${at}`,
        created_at: first.created_at,
      })),
    );
    await page.reload();
    await page.getByRole("button", { name: "Show older messages" }).click();
    await page.getByText("Words 50", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show older messages" }).click();
    await page.getByText("The very first words", { exact: true }).waitFor();

    const mine = page.getByRole("dialog", { name: "Your conversations" });
    await chooseInTutor(page, "Your conversations");
    await mine.getByRole("button", { name: /^Name:/ }).click();
    await page.getByLabel("Name of the conversation").fill("Long talk");
    await page.keyboard.press("Enter");
    await mine.getByText("Long talk").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await mine.waitFor({ state: "detached" });
    const calls = world.llm.calls();
    await chooseInTutor(page, "New conversation");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
    expect(world.llm.calls()).toBe(calls);
    await chooseInTutor(page, "Your conversations");
    await mine.getByRole("button", { name: "Open: Long talk" }).click();
    await page.getByText("Words 209", { exact: true }).waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await chooseInTutor(page, "Your conversations");
    await mine.getByRole("button", { name: "Delete: Long talk" }).click();
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
    expect(await page.getByText("Long talk").count()).toBe(0);
  });

  it("returns to the path without a call, and keeps one aside in two tabs", async () => {
    world.llm.reset();
    world.llm.script(
      { chunks: ["Hello.", askedQuestion(1)] },
      { chunks: ["Right.", askedQuestion(2)] },
      { chunks: ["Private."] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Names and values, drawn");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "B To the right" }).click();
    await page.getByText("Right.").waitFor();
    await page.locator(".path .on").nth(1).waitFor();
    // As left by another client, or an earlier one.
    await world.deps.db.execute(sql`update chat_sessions set cache_state = 'diverged'
      where id = (select max(id) from chat_sessions)`);
    await page.reload();
    await page.getByText("You left the class's path.").waitFor();
    const calls = world.llm.calls();
    await page.getByRole("button", { name: "Back to the path" }).click();
    await page.locator(".path .on").nth(1).waitFor();
    await page.getByText("Right.").waitFor();
    expect(world.llm.calls()).toBe(calls);
    expect(await page.getByText("You left the class's path.").count()).toBe(0);

    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText("Right.").waitFor();
    const ask = async (tab: typeof page, words: string) => {
      await tab.getByLabel("Ask in your own words").fill(words);
      await tab.keyboard.press("Enter");
      await tab.getByText(words).waitFor();
    };
    await ask(page, "In the first tab?");
    await page.getByText("Private.", { exact: true }).waitFor();
    await ask(other, "In the second tab?");
    await expect.poll(() => other.locator(".beside .answer .origin").count()).toBe(1);
    await ask(page, "And again in the first?");
    await expect.poll(() => page.locator(".beside .receiving").count()).toBe(0);
    await expect.poll(() => page.locator(".beside .answer .origin").count()).toBe(1);
    const open = await world.deps.db.execute(sql`select from chat_sessions where aside_of_id is not null
      and closed_at is null and user_id = (select max(user_id) from chat_sessions where id = (select max(id) from chat_sessions))
      and content_item_id = (select content_item_id from chat_sessions where id = (select max(id) from chat_sessions))`);
    expect(open.rowCount).toBe(1);

    const { promise, resolve } = Promise.withResolvers<void>();
    world.llm.script({ chunks: ["While ", promise, "signing out."] });
    await ask(page, "Will it end?");
    await page.locator(".beside .receiving", { hasText: "While" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: /^Sign in/ }).waitFor();
    resolve();
    await expect
      .poll(
        async () =>
          (await world.deps.db.execute(sql`select from chat_messages where content = 'While signing out.'`))
            .rowCount,
      )
      .toBe(1);
  });

  it("shares a conversation with people who are not signed in, until sharing ends", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["Shared words."] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "A spectrum of your own");
    await page.getByText("Criteria").waitFor();
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await chooseInTutor(page, "Share");
    const sharing = page.getByRole("dialog", { name: "Share" });
    await sharing.getByRole("button", { name: "Share" }).click();
    const link = new URL(await page.getByLabel("Anyone with this link").inputValue());
    const path = link.pathname + link.hash;
    const { page: stranger } = await browser.visit(path);
    await stranger.getByText("Shared words.").waitFor();
    expect(await stranger.getByText("Mina").count()).toBe(0);
    expect(await violationsOf(stranger)).toEqual([]);
    await page.getByRole("button", { name: "End sharing" }).click();
    await sharing.getByRole("button", { name: "Share" }).waitFor();
    const { page: late } = await browser.visit(path);
    await late.getByRole("alert").waitFor();
  });
});
