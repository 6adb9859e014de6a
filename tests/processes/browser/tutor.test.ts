import { desc, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { chatMessages, chatSessions } from "../../../schema/db/tutor/chat.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { type Size, sizes, systemBrowser } from "../../support/browser.ts";
import { focused, openDemonstration, openTopic, signIn } from "./demonstration.ts";
import { chooseInTutor, openTutor, standBeside } from "./steps.ts";

const question = (number: number) => `

\`\`\`mcq
{"questionId": "q${number}", "question": "Which way does it move?", "options": [{"id": "A", "text": "To the left"}, {"id": "B", "text": "To the right"}]}
\`\`\``;

describe.skipIf(!systemBrowser)("a learner and the tutor, in a browser", () => {
  const { world, browser } = openDemonstration();

  it.each<[Size, string]>([
    ["phone", "New answer"],
    ["desktop", "Shared with your class"],
  ])(
    "on a %s reads a topic and walks the class's path, each screen without a fault",
    async (size, source) => {
      world.llm.reset();
      const first = [
        { chunks: ["Wel", "come to **signals**: $x(t)$.", question(1)] },
        { chunks: ["To the right, indeed.", question(2)] },
      ];
      const calls = world.llm.calls();
      world.llm.script(...(size === "phone" ? first : []), { chunks: ["That is your own question."] });
      const { page, complaints } = await browser.visit("/", size);
      await page.getByRole("heading", { name: /^Sign in/ }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      if (size === "desktop") await page.getByRole("button", { name: "Learner" }).click();
      else await signIn(page, "noor@northgate.example");
      await page.getByRole("link", { name: "Continue: What is a signal?" }).waitFor();
      await expect.poll(() => focused(page)).toMatch(/^Hello, /);
      expect(await violationsOf(page)).toEqual([]);

      await openTopic(page, "Introduction to Signals", "What is a signal?");
      await page.locator("math").first().waitFor();
      await page.getByRole("button", { name: "Mark as done" }).click();
      await page.getByText("✓ Done").waitFor();

      if (size === "phone") await openTutor(page);
      await page.getByRole("button", { name: "Start with the tutor" }).click();
      await page.getByRole("button", { name: "B To the right" }).click();
      await page.getByText("To the right, indeed.").waitFor();
      await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
      expect(await page.locator(".answer .origin").allInnerTexts()).toEqual([
        expect.stringContaining(source),
        expect.stringContaining(source),
      ]);
      expect(await page.locator(".answer strong").innerText()).toBe("signals");
      expect(await page.locator(".path .on").count()).toBe(2);
      expect(await page.getByText("mcq").count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);

      if (size === "phone") {
        await page.getByRole("button", { name: "This answer helped" }).first().click();
        await page.locator("button[aria-pressed=true]").waitFor();
      } else {
        await chooseInTutor(page, "Open as a classmate");
        await page.getByRole("heading", { name: "Noor Haddad" }).waitFor();
        await page.getByText("of 2 answers were already stored").waitFor();
        expect(await page.locator(".counter strong").innerText()).toBe("2");
        expect(await standBeside(page, ".topic > article", ".tutor")).toBe(true);
        expect(world.llm.calls()).toBe(calls);
        await page.getByRole("button", { name: "Close" }).click();
        // Also without room for the module next to both.
        for (const width of [1280, 1024, 900]) {
          await page.setViewportSize({ width, height: 800 });
          expect({ width, areBeside: await standBeside(page, ".topic > article", ".tutor") }).toEqual({
            width,
            areBeside: true,
          });
        }
        await page.setViewportSize(sizes.desktop);
      }

      await page.getByLabel("Ask in your own words").fill("But why?");
      await page.keyboard.press("Enter");
      const beside = page.getByRole("region", { name: "Side question" });
      await beside.getByText("That is your own question.").waitFor();
      expect(await page.locator(".path .on").count()).toBe(2);
      expect(await page.locator(".path .off").count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await page.reload();
      if (size === "phone") await openTutor(page);
      await beside.getByText("That is your own question.").waitFor();
      await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
      const sessions = await world.deps.db
        .select()
        .from(chatSessions)
        .orderBy(desc(chatSessions.id))
        .limit(2);
      expect(sessions.map(({ aside_of_id, cache_state }) => [aside_of_id === null, cache_state])).toEqual([
        [false, "DIVERGED"],
        [true, "TRACKING"],
      ]);
      expect(complaints).toEqual([]);
    },
  );

  it("resumes an answer after a reload, and keeps its text when it is stopped", async () => {
    world.llm.reset();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.llm.script(
      { chunks: ["Hello.", question(1)] },
      { chunks: ["Half of an answer", promise, " and more"] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "The idea of the Fourier series");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "A To the left" }).waitFor();
    await page.getByLabel("Ask in your own words").fill("Tell me more");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Half of an answer").waitFor();
    await page.reload();
    await page.locator(".receiving", { hasText: "Half of an answer" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped by you").waitFor();
    expect(await page.locator(".receiving").count()).toBe(0);
    expect(await page.getByText("Half of an answer").count()).toBe(1);
    resolve();
  });

  it("confirms typed text that matches an option, by the keyboard alone, and shows messages and answers", async () => {
    world.llm.reset();
    const asked = question(1).replace("To the right", "To $x^2$");
    world.llm.script(
      { chunks: ["Hello.", asked] },
      { chunks: ["Beside **it**."] },
      { chunks: ["Chosen.", question(2)] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Shifting and scaling");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.locator(".option math").waitFor();
    const type = async (words: string) => {
      await page.getByLabel("Ask in your own words").focus();
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
    };
    await type("b)");
    await page.getByRole("group", { name: /^Do you mean option B/ }).waitFor();
    await expect.poll(() => focused(page)).toBe("Yes, choose it");
    expect(await violationsOf(page)).toEqual([]);
    const calls = world.llm.calls();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Beside it.").waitFor();
    // Text typed while an answer streams remains in its field.
    await page.locator(".receiving").waitFor({ state: "hidden" });
    expect(await page.locator(".path .off").count()).toBe(0);
    await type("to $X^2$");
    await page.getByRole("group", { name: /^Do you mean/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Chosen.").waitFor();
    expect(world.llm.calls()).toBe(calls + 2);
    await page.locator(".path .on").nth(1).waitFor();
    // The question remains, and the choice is rendered like the tutor's text.
    await page.locator(".asked-before math").waitFor();
    await page.locator(".own.choice math").waitFor();
    expect(await page.getByRole("region", { name: "Side question" }).count()).toBe(0);
  });

  it("starts, finds, names and deletes conversations, and reads one to its first message", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["Hello.", question(1)] });
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
      { chunks: ["Hello.", question(1)] },
      { chunks: ["Right.", question(2)] },
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

  it("says why an answer broke off, and asks again", async () => {
    world.llm.reset();
    world.llm.script(
      { chunks: ["Half"], failure: "error event", times: 3 },
      { chunks: ["A whole answer.", question(1)] },
      { chunks: ["Indeed.", question(2)] },
      { chunks: ["Right again.", question(3)] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Hear it");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByText("The answer was interrupted.").waitFor();
    expect(await page.locator(".receiving").count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByText("A whole answer.").waitFor();
    // The button is gone, and the focus moved to the answer.
    const labelled = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
    await expect.poll(labelled).toBe("Answer of the tutor");

    // Answers from another device, without messages between tabs, appear on return to this tab.
    const other = await page.context().newPage();
    await other.addInitScript("delete globalThis.BroadcastChannel");
    await other.goto(page.url());
    await other.getByRole("button", { name: "B To the right" }).click();
    await other.locator(".answer:not(.receiving)", { hasText: "Indeed." }).waitFor();
    expect(await page.getByText("Indeed.").count()).toBe(0);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText("Indeed.").waitFor();
    // Answers in another tab appear immediately, so the old question cannot be answered.
    const third = await page.context().newPage();
    await third.goto(page.url());
    await third.getByRole("button", { name: "B To the right" }).click();
    await third.getByText("Right again.").waitFor();
    await page.getByText("Right again.").waitFor();
    // A tab without notice of the others still offers the old question. Its choice changes nothing.
    expect(await other.getByText("Right again.").count()).toBe(0);
    const calls = world.llm.calls();
    await other.getByRole("button", { name: "A To the left" }).click();
    await other.getByText("The tutor has asked another question since").waitFor();
    await other.getByText("Right again.").waitFor();
    expect(await other.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(world.llm.calls()).toBe(calls);
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

  it("shows texts of teachers and models, and runs none of it", async () => {
    const attack = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>
      <a href="javascript:document.title='hacked'">link</a> <form action="/x"><button>send</button></form>`;
    await world.deps.db
      .update(contentItems)
      .set({ data_json: { blocks: [{ type: "paragraph", text: `Read this. ${attack}` }] } })
      .where(eq(contentItems.title, "Parameters and return values"));
    world.llm.reset();
    world.llm.script({ chunks: [`Told by the tutor. ${attack}`] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Parameters and return values");
    await page.getByText("Read this.").waitFor();
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByText("Told by the tutor.").waitFor();
    await expect.poll(() => page.locator(".prose a").count()).toBe(2);
    expect(await page.locator(".prose [onerror], .prose script, .prose [href], .prose form").count()).toBe(0);
    expect(await page.title()).not.toContain("hacked");
  });
});
