import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openTutor, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const options = ["To the left", "To the right", "Nowhere", "Into a mirror image of itself"].map(
  (text, at) => ({
    id: "ABCD".charAt(at),
    text,
  }),
);
const fenced = (name: string, value: object) => `\n\n\`\`\`${name}\n${JSON.stringify(value)}\n\`\`\``;
const long = Array.from({ length: 30 }, (_, at) => `Line ${at + 1} of a long answer.\n\n`).join("");
const asks = (id: string, question: string) => ({
  chunks: [
    long,
    fenced("mcq", { questionId: id, question, options }),
    fenced("key", { answer: "A", misconceptions: [], skill: "Shifts" }),
  ],
});

const sizes = {
  laptop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  // A window of 1280 pixels at 400 % zoom.
  zoomed: { width: 320, height: 640 },
};

describe.skipIf(!systemBrowser)("the tutor's panel", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  // The browser's own clock counts an exam down.
  beforeEach(() => world.setNow(new Date()));

  async function visitTopic(size: { width: number; height: number }) {
    const made = await make.topic();
    await make.contentItem(made.module, made.university.id, { title: "Next to it" });
    const learner = await make.person();
    await make.enrollment(learner.id, made.offering.id);
    world.llm.reset();
    const address = `courses/${made.course.id}/${made.offering.id}/${made.item.id}`;
    const visit = await visitAs(world, browser, learner, address);
    await visit.page.setViewportSize(size);
    await visit.page.getByRole("heading", { name: made.item.title, level: 1 }).waitFor();
    return { ...made, ...visit, learner };
  }

  /** The parts that are not fully inside the window. */
  async function outside(page: Page, ...parts: string[]): Promise<string[]> {
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    const found = await Promise.all(
      parts.map(async (part) => {
        const box = await page.locator(part).first().boundingBox();
        const isInside =
          box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
        return isInside ? [] : [`${part} ${JSON.stringify(box)}`];
      }),
    );
    return found.flat();
  }

  it.each(Object.keys(sizes) as (keyof typeof sizes)[])(
    "keeps the first option and the input inside the window, typed key by key: %s",
    async (name) => {
      const { page, complaints } = await visitTopic(sizes[name]);
      world.llm.script(
        asks("q1", "Which way does it move?"),
        { chunks: ["Because **so**."] },
        asks("q2", "And now?"),
      );
      const always = ["button.option", "#own-words", "button[aria-label=Send]"];
      if (name !== "laptop") await openTutor(page);
      await press(page, "Start with the tutor");
      await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
      expect(await outside(page, ...always)).toEqual([]);

      await page.getByLabel("Ask in your own words").pressSequentially("Why is that so?");
      await page.keyboard.press("Enter");
      const aside = page.getByRole("log").getByRole("region", { name: "Side question" });
      await aside.getByText("Because so.").waitFor();
      expect(await outside(page, ...always)).toEqual([]);
      // One scroller for the path and its aside, and the page itself does not scroll.
      const scrollers = await page.evaluate<string[]>(`
        [...document.querySelectorAll(".tutor *")]
          .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
          .map((one) => one.className)`);
      expect(scrollers).toEqual(name === "zoomed" ? expect.arrayContaining(["messages"]) : ["messages"]);
      expect(await violationsOf(page)).toEqual([]);

      const draft = page.getByLabel("Ask in your own words");
      await draft.pressSequentially("b)");
      await page.keyboard.press("Enter");
      await press(page, "Yes, choose it");
      await page.getByRole("group", { name: "And now?" }).waitFor();
      expect(await outside(page, ...always)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it("has one toolbar for each answer and one menu for the rest", async () => {
    const { page } = await visitTopic(sizes.laptop);
    world.llm.script(asks("q1", "Which way does it move?"));
    await press(page, "Start with the tutor");
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
    const toolbar = page.getByRole("toolbar", { name: "Actions for this answer" });
    const names = await toolbar
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => (one as unknown as { ariaLabel: string }).ariaLabel));
    expect(names.filter((label) => label !== "Copy" && label !== "Read aloud")).toEqual([
      "Save as flashcard",
      "This answer helped",
      "This answer did not help",
    ]);
    await page.getByRole("button", { name: "Save as flashcard" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("This answer helped");
    // Four options, five moves, sending, the toolbar, and nothing else.
    const buttons = page.locator(".tutor button:visible");
    expect(await buttons.count()).toBe(4 + 5 + 1 + names.length);
    await page.getByLabel("Conversation menu").click();
    expect(await page.locator(".menu-list button:visible").allInnerTexts()).toEqual([
      ...[
        "New conversation",
        "Your conversations",
        "Ask a person",
        "Share",
        "Show the answer next to its options",
      ],
    ]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".menu-list button:visible").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Conversation menu");
    expect(await page.locator(".origin").innerText()).toBe("New answer");
  });

  it("is as high as the window, next to a topic and a list of topics that closes, with no empty half", async () => {
    const { page } = await visitTopic(sizes.laptop);
    world.llm.script(asks("q1", "Which way does it move?"));
    await press(page, "Start with the tutor");
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
    const topics = page.getByRole("navigation", { name: "Topics of this module" });
    const boxes = async () => ({
      article: await page.locator(".topic > article").boundingBox(),
      tutor: await page.locator(".tutor").boundingBox(),
      topics: await topics.boundingBox(),
    });
    for (const width of [900, 1024, 1280, 1440, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      const { article, tutor } = await boxes();
      if (!article || !tutor) throw new Error("Both are shown");
      expect([tutor.x + tutor.width, tutor.y + tutor.height].map(Math.round)).toEqual([width - 20, 788]);
      // The topic reaches to the tutor, and from the topics or the edge.
      expect(tutor.x - (article.x + article.width)).toBeLessThan(32);
      expect(article.width).toBeGreaterThan(width * 0.3);
      expect(await outside(page, "button.option", "#own-words")).toEqual([]);
    }
    const { article: before, topics: opened } = await boxes();
    expect(opened?.x).toBeLessThan(before?.x ?? 0);
    await topics.getByText(/topic 1 of 2/).click();
    await topics.getByRole("link").first().waitFor({ state: "hidden" });
    const { article: after } = await boxes();
    expect(after?.width).toBeGreaterThan((before?.width ?? 0) + 200);
    // The next topic leaves the list as it was.
    await page.reload();
    await topics.getByText(/topic 1 of 2/).waitFor();
    expect(await topics.getByRole("link").count()).toBe(0);
  });

  it("is a sheet on a phone: it covers the page, takes the focus, and Escape closes it", async () => {
    const { page } = await visitTopic(sizes.phone);
    await openTutor(page);
    expect(await page.locator(".tutor").boundingBox()).toEqual({ x: 0, y: 0, ...sizes.phone });
    const sheet = page.getByRole("dialog", { name: "Tutor" });
    expect(await page.evaluate("document.activeElement.id")).toBe("tutor");
    // Tab leaves the sheet only for the browser's own interface.
    const isWithin =
      "document.activeElement === document.body || document.activeElement.closest('.tutor') !== null";
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(isWithin)).toBe(true);
    }
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Open the tutor");
    expect(await violationsOf(page)).toEqual([]);
  });

  it("is closed during an exam, on the exam and on other topics, and opens when it is submitted", async () => {
    const quiz = await openQuiz(world, { quiz_mode: "exam" });
    const other = await make.contentItem(quiz.module, quiz.university.id, { title: "Another topic" });
    const here = `courses/${quiz.course.id}/${quiz.offering.id}`;
    const { page } = await visitAs(world, browser, quiz.learner, `${here}/${quiz.item.id}`);
    const begin = page.getByRole("button", { name: "Start with the tutor" });
    await begin.waitFor();
    await press(page, "Start");
    const closed = page.getByText("Closed during your exam.");
    await closed.waitFor();
    expect(await begin.count()).toBe(0);
    await page.evaluate(`location.hash = "#/${here}/${other.id}"`);
    await page.getByRole("heading", { name: other.title, level: 1 }).waitFor();
    await closed.waitFor();
    expect(await begin.count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.evaluate(`location.hash = "#/${here}/${quiz.item.id}"`);
    await press(page, "Continue");
    page.on("dialog", (dialog) => dialog.accept());
    await press(page, "Submit");
    await begin.waitFor();
    expect(await closed.count()).toBe(0);
  });

  it("is closed by an exam of another course that closes all tutors of the university", async () => {
    const quiz = await openQuiz(world, { quiz_mode: "exam", tutor_scope: "university" });
    const course = await make.course(quiz.university.id);
    const offering = await make.offering(course);
    const item = await make.contentItem(await make.module(course.id), quiz.university.id);
    await make.enrollment(quiz.learner.id, offering.id);
    const attempt = (await quiz.start()).body;
    const here = `courses/${course.id}/${offering.id}/${item.id}`;
    const { page } = await visitAs(world, browser, quiz.learner, here);
    await press(page, "Start with the tutor");
    await page.getByText("Closed during your exam.").waitFor();
    await quiz.submit(attempt.id);
    world.llm.reset();
    world.llm.script(asks("q1", "Which way does it move?"));
    await press(page, "Try again");
    await press(page, "Start with the tutor");
    await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
  });
});
