import { desc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { type Size, sizes, systemBrowser } from "../../support/browser.ts";
import { focused, openDemonstration, openTopic, signIn } from "./demonstration.ts";
import { askedQuestion, chooseInTutor, openTutor, standBeside } from "./steps.ts";

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
        { chunks: ["Wel", "come to **signals**: $x(t)$.", askedQuestion(1)] },
        { chunks: ["To the right, indeed.", askedQuestion(2)] },
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
      { chunks: ["Hello.", askedQuestion(1)] },
      { chunks: ["Half of a sentence", promise, " and more"] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "A spectrum of your own");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "A To the left" }).waitFor();
    await page.getByLabel("Ask in your own words").fill("Tell me more");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Half of a sentence").waitFor();
    await page.reload();
    await page.locator(".receiving", { hasText: "Half of a sentence" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped by you").waitFor();
    expect(await page.locator(".receiving").count()).toBe(0);
    expect(await page.getByText("Half of a sentence").count()).toBe(1);
    resolve();
  });

  it("confirms typed text that matches an option, by the keyboard alone, and shows messages and answers", async () => {
    world.llm.reset();
    const asked = askedQuestion(1).replace("To the right", "To $x^2$");
    world.llm.script(
      { chunks: ["Hello.", asked] },
      { chunks: ["Beside **it**."] },
      { chunks: ["Chosen.", askedQuestion(2)] },
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

  it("says why an answer broke off, and asks again", async () => {
    world.llm.reset();
    world.llm.script(
      { chunks: ["Half"], failure: "error event", times: 3 },
      { chunks: ["A whole answer.", askedQuestion(1)] },
      { chunks: ["Indeed.", askedQuestion(2)] },
      { chunks: ["Right again.", askedQuestion(3)] },
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
