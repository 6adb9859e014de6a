import { sql } from "drizzle-orm";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { paragraphs, readTopic } from "./reader.ts";
import { chooseInTutor, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const question = `

\`\`\`mcq
{"questionId": "q1", "question": "Wohin?", "options": [{"id": "A", "text": "Links"}, {"id": "B", "text": "Rechts"}]}
\`\`\``;

/** Records changes of every live region, as a screen reader would announce them. */
const listen = (page: Page) =>
  page.evaluate(`(() => {
    globalThis.told = [];
    const isSilent = (node) => node.nodeType === 1 && node.getAttribute("aria-live") === "off";
    const wordsOf = (node) =>
      isSilent(node) ? "" : node.nodeType === 3 ? node.data : [...node.childNodes].map(wordsOf).join("");
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const element = target.nodeType === 1 ? target : target.parentElement;
        const region = element?.closest("[aria-live], [role=status], [role=alert], [role=log]");
        if (!region || isSilent(region)) continue;
        for (const node of target.nodeType === 3 ? [target] : addedNodes) {
          const words = wordsOf(node).trim();
          if (words !== "") told.push(words);
        }
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  })()`);
const told = (page: Page) => page.evaluate<string[]>("globalThis.told");
const focused = (page: Page) =>
  page.evaluate<[string, string]>(
    "[document.activeElement.tagName, document.activeElement.getAttribute('aria-label') ?? '']",
  );
/** The language in which a screen reader would read the element with this exact text. */
const languageOf = (page: Page, words: string) => languageAt(page.getByText(words, { exact: true }).last());
const languageAt = (place: Locator) =>
  place.evaluate((element) => element.closest("[lang]")?.getAttribute("lang"));

describe.skipIf(!systemBrowser)("a screen reader announces", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it("an answer once, when it is whole, with the focus on it, and in the language of its course", async () => {
    world.llm.reset();
    const middle = Promise.withResolvers<void>();
    world.llm.script(
      { chunks: ["Ein Signal ", middle.promise, "trägt Nachricht.", question] },
      { chunks: ["Nach rechts, ", "genau."] },
    );
    const { page, complaints } = await readTopic(world, browser, {
      data: paragraphs(["Was ist ein Signal?"]),
      language: "de",
    });
    await page.getByText("Was ist ein Signal?").waitFor();
    await listen(page);
    await press(page, "Start with the tutor");
    await page.locator(".receiving", { hasText: "Ein Signal" }).waitFor();
    expect(await focused(page)).toEqual(["DIV", "Conversation with the tutor"]);
    middle.resolve();
    await page.getByRole("button", { name: "B Rechts" }).waitFor();
    await expect.poll(() => focused(page)).toEqual(["ARTICLE", "Answer of the tutor"]);
    expect(await told(page)).toEqual(["Ein Signal trägt Nachricht."]);

    await page.getByRole("button", { name: "B Rechts" }).press("Enter");
    const times = async (words: string) => (await told(page)).filter((one) => one.includes(words)).length;
    await expect.poll(() => times("Nach rechts, genau.")).toBe(1);
    expect([await times("Ein Signal"), await times("Save as")]).toEqual([1, 0]);
    await expect.poll(() => focused(page)).toEqual(["ARTICLE", "Answer of the tutor"]);
    const written = ["Was ist ein Signal?", "Nach rechts, genau.", "Wohin?", "Rechts"];
    expect(await Promise.all(written.map((words) => languageOf(page, words)))).toEqual(
      written.map(() => "de"),
    );
    expect(await languageOf(page, "Mark as done")).toBe("en");
    expect(await page.locator("h1").getAttribute("lang")).toBe("de");
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("a long answer next to its options, with actions to save it, play it, and ask again", async () => {
    world.llm.reset();
    const long = Array.from({ length: 40 }, (_, at) => `Line ${at + 1} of it.\n\n`);
    world.llm.script({ chunks: [...long, question] }, { chunks: ["Because of **that**."] });
    const { page, complaints } = await readTopic(world, browser, { data: paragraphs(["Read."]) });
    // Fakes speech and the clipboard for machines without voices.
    await page.evaluate(`(() => {
      globalThis.spoken = [];
      Object.defineProperty(globalThis, "speechSynthesis", {
        value: { cancel() {}, speak: ({ text, lang }) => spoken.push([text.trim(), lang]) },
      });
      Object.defineProperty(navigator, "clipboard", {
        value: { writeText: async (text) => void (globalThis.copied = text) },
      });
    })()`);
    await press(page, "Start with the tutor");
    const option = page.getByRole("button", { name: "B Rechts" });
    await option.waitFor();
    const log = page.getByRole("log", { name: "Conversation with the tutor" });
    expect((await log.boundingBox())?.height).toBeGreaterThan(380);
    await chooseInTutor(page, "Show the answer next to its options");
    const [answer, choice] = [await log.boundingBox(), await option.boundingBox()];
    // At its side: the page need not scroll.
    expect((answer?.x ?? 0) + (answer?.width ?? 0)).toBeLessThan(choice?.x ?? 0);
    expect(answer?.height).toBeGreaterThan(650);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await chooseInTutor(page, "Show the answer next to its options");

    await page.getByLabel("Ask in your own words").fill("Why is that so?");
    await press(page, "Send");
    const aside = page.getByRole("region", { name: "Side question" });
    await aside.getByText("Because of that.").waitFor();
    await aside.getByRole("button", { name: "Read aloud" }).click();
    expect(await page.evaluate("spoken")).toEqual([["Because of that.", "en"]]);
    await aside.getByRole("button", { name: "Copy" }).click();
    await aside.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("copied")).toBe("Because of **that**.");
    await aside.getByRole("button", { name: "Edit and ask again" }).click();
    const field = page.getByLabel("Ask in your own words");
    await expect.poll(() => field.inputValue()).toBe("Why is that so?");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("text outside of a topic in the language of its course as well", async () => {
    const lab = await openLab(world, { due_at: "2100-01-01T00:00:00.000Z" });
    const { course, offering, learner, teacher, paper } = lab;
    const { db } = world.deps;
    await db.execute(sql`update courses set language_code = 'de', title = 'Wellen' where id = ${course.id}`);
    await db.execute(sql`update content_items set title = 'Das Labor' where id = ${lab.lab.id}`);
    await db.execute(sql`update content_items set title = 'Der Aufsatz' where id = ${paper.id}`);
    await db.execute(sql`
      insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name, issued_at)
      values (${learner.id}, ${offering.id}, 'code', 'Ada', 'Wellen', 'Northgate', now())`);
    const { id } = (await lab.submit({ body: "Alles" }, learner, paper)).body;
    expect((await lab.grade(id, 60)).status).toBe(200);
    expect((await lab.release()).status).toBe(200);
    const there = `/community/offerings/${offering.id}`;
    const made = [
      await world.as(learner).post("/study/flashcards", {
        ...{ front: "Was schwingt?", back: "Die Luft.", content_item_id: paper.id },
      }),
      await world.as(learner).post("/study/notes", { content_item_id: paper.id, body: "Luft merken" }),
      await world.as(teacher).post(`${there}/threads`, { title: "Schwebungen", body: "Warum schwebt es?" }),
      await world.as(teacher).post(`${there}/announcements`, { title: "Neuer Raum", body: "Raum sieben." }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);

    const { page, complaints } = await visitAs(world, browser, learner, "");
    const here = `courses/${course.id}/${offering.id}`;
    const screens: [string, string[]][] = [
      ["", ["Wellen", "Das Labor"]],
      [`${here}/grades`, ["Wellen", "Der Aufsatz"]],
      [`${here}/discussions`, ["Wellen", "Schwebungen"]],
      [`${here}/discussions/${made[2]?.body.id}`, ["Schwebungen", "Warum schwebt es?"]],
      ["announcements", ["Neuer Raum", "Raum sieben."]],
      ["notifications", ["Wellen"]],
      ["certificates", ["Wellen"]],
      ["flashcards/kept", ["Was schwingt?"]],
      ["flashcards/review", ["Was schwingt?"]],
      ["search?q=Luft", ["Der Aufsatz"]],
    ];
    for (const [screen, titles] of screens) {
      await page.evaluate(`location.hash = "#/${screen}"`);
      for (const title of titles) {
        const shown = page.locator(`main :text-is("${title}"):visible`).last();
        await shown.waitFor();
        await expect.poll(() => languageAt(shown), { message: `${title} in ${screen}` }).toBe("de");
      }
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
    }
    await page.evaluate(`location.hash = ""`);
    // A label has one language, so progress is in text next to a title in another language.
    const words = page.locator(".progress .unseen").first();
    await words.waitFor({ state: "attached" });
    expect(await words.innerHTML()).toMatch(/^<span>Progress in <span lang="de">Wellen<\/span><\/span>:/);
    await page.evaluate(`location.hash = "#/search?q=Luft"`);
    await page.locator("mark").first().waitFor();
    expect(await languageOf(page, "My notes")).toBe("en");
    expect(await languageAt(page.locator("mark").first())).toBe("de");
    expect(complaints).toEqual([]);
  });

  it("before a quiz with a time limit that there can be more of it", async () => {
    const quiz = await openQuiz(world, { time_limit_seconds: 600 });
    const { page } = await visitAs(
      world,
      browser,
      quiz.learner,
      `courses/${quiz.course.id}/${quiz.offering.id}/${quiz.item.id}`,
    );
    await page.getByText("You have 10:00 minutes after you start.").waitFor();
    await page.getByText("If you need more time, ask your teacher").waitFor();
  });

  it("the rules of a password before it is typed, and a taken address at its field", async () => {
    const quiz = await openQuiz(world);
    const { page } = await browser.visit("/app#/register");
    const password = page.getByLabel("Password");
    await password.waitFor();
    const about = await password.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${about}"]`).innerText()).toMatch(/^Any characters are allowed/);
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("E-mail").fill(quiz.learner.email);
    await password.fill("several words of hers");
    await press(page, "Create an account");
    const address = page.getByLabel("E-mail");
    await expect.poll(() => address.getAttribute("aria-invalid")).toBe("true");
    const fault = page.locator(`[id="${await address.getAttribute("aria-describedby")}"]`);
    expect([await fault.innerText(), await fault.getAttribute("role")]).toEqual([
      "Email already registered",
      "alert",
    ]);
    expect(await address.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
  });
});
