import { eq, sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { extractDocumentTexts } from "../../../lib/files/extract-document-texts.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { openTutor, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const long = (words: string) => `${words} `.repeat(Math.ceil(90 / words.length)).trim();

describe.skipIf(!systemBrowser)("the sources of an answer, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  /** A learner at the first of three items: two pages and a film. */
  async function inCourse(size: Size) {
    const made = await make.topic();
    const { module, university, course, offering, item } = made;
    const blocks = [
      long("Standing waves have nodes."),
      ...Array(20).fill(long("More of it.")),
      long("Nodes rest."),
    ];
    const page = (texts: string[]) => ({ blocks: texts.map((text) => ({ type: "paragraph", text })) });
    await world.deps.db
      .update(contentItems)
      .set({ data_json: page(blocks) })
      .where(eq(contentItems.id, item.id));
    const other = await make.contentItem(module, university.id, {
      title: "Resonance",
      data_json: page([...Array(20).fill(long("Before.")), long("At resonance the energy adds up.")]),
    });
    const film = await make.contentItem(module, university.id, {
      ...{ title: "A swing", type: "video" },
      data_json: {
        transcript: {
          segments: [
            { start: 0, text: "A swing stands still." },
            { start: 125, text: "Pushed in time, the pendulum goes far." },
          ],
        },
      },
    });
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    world.llm.reset();
    world.llm.script({ chunks: ["Welcome."] });
    const address = `courses/${course.id}/${offering.id}/${item.id}`;
    const visit = await visitAs(world, browser, learner, address, size);
    if (size === "phone") await openTutor(visit.page);
    await press(visit.page, "Start with the tutor");
    await visit.page.getByText("Welcome.").waitFor();
    return { ...made, ...visit, other, film, address };
  }

  const ask = async (
    page: Page,
    question: string,
    answer: string,
    heading = "You may find this helpful:",
  ) => {
    world.llm.script({ chunks: [answer] });
    await page.getByLabel("Ask in your own words").pressSequentially(question);
    // Text typed while an answer streams remains in its field.
    await page.locator(".receiving").waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await page.getByText(heading, { exact: true }).waitFor();
  };

  const cited = (page: Page) => page.locator("[data-cited]");
  const isFocused = (page: Page) => page.evaluate("document.activeElement?.matches('[data-cited]')");

  it.each<Size>(["phone", "desktop"])(
    "on a %s open the place, by the keyboard too: a part of another page, and the same again",
    async (size) => {
      const { page, complaints, other } = await inCourse(size);
      await ask(page, "Why does resonance add energy?", "It adds up [§1].");
      const link = page.getByRole("link", { name: "[§1] Resonance, part 21" });
      expect(await violationsOnEachSize(page)).toEqual([]);
      await link.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: other.title, level: 1 }).waitFor();
      await cited(page).getByText("At resonance the energy adds up.").first().waitFor();
      await expect.poll(() => isFocused(page)).toBe(true);
      expect(await page.getByRole("region", { name: "Cited passage" }).count()).toBe(1);
      expect(
        await cited(page).evaluate((it) => (it as unknown as { offsetTop: number }).offsetTop),
      ).toBeGreaterThan(300);
      await expect
        .poll(() => page.evaluate("document.querySelector('.topic > article').scrollTop"))
        .toBeGreaterThan(100);
      expect(await violationsOnEachSize(page)).toEqual([]);
      await page.goBack();
      await link.waitFor();
      expect(complaints).toEqual([]);
    },
  );

  it("are shown as certain if the course's questions find them", async () => {
    const { page, course } = await inCourse("phone");
    await world.deps.db.execute(sql`
      insert into passage_measures (course_id, looked_at, asked, found) values (${course.id}, now(), 30, 20)`);
    await ask(page, "Why does resonance add energy?", "It adds up [§1].", "In the course:");
    await page.getByRole("link", { name: "[§1] Resonance, part 21" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
  });

  it("open the current page, any number of times", async () => {
    const { page, item } = await inCourse("desktop");
    await world.deps.db.execute(sql`update content_items set title = 'Waves' where id = ${item.id}`);
    await ask(page, "Resonance?", "See [§1].");
    // A citation of the item that is open.
    await world.deps.db.execute(
      sql`update message_sources set content_item_id = ${item.id}, place = '{"block": 22}' where number = 1`,
    );
    await page.reload();
    const link = page.getByRole("link", { name: "[§1] Waves, part 22" });
    for (let time = 0; time < 2; time++) {
      await link.click();
      await expect.poll(() => isFocused(page)).toBe(true);
      await cited(page).getByText("Nodes rest.").first().waitFor();
      await page.evaluate("scrollTo(0, 0)");
      await page.getByLabel("Ask in your own words").focus();
    }
    // The conversation kept its place.
    await page.getByText("See [§1].").waitFor();
  });

  it("open from their citation; an unknown citation is removed, and one in code is text", async () => {
    const { page, other, complaints } = await inCourse("desktop");
    await ask(page, "Why does resonance add energy?", "It **adds up [§1]**, not [§9] or `[§1]`.");
    const answer = page.locator(".answer", { hasText: "adds up" }).locator(".prose");
    const links = answer.getByRole("link");
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(["[§1]"]);
    expect(await answer.innerText()).toBe("It adds up [§1], not or [§1].");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await links.first().click();
    await page.getByRole("heading", { name: other.title, level: 1 }).waitFor();
    await cited(page).getByText("At resonance the energy adds up.").first().waitFor();
    await expect.poll(() => isFocused(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("open a film at its time, and the line of its transcript takes the focus", async () => {
    const { page, film } = await inCourse("desktop");
    await ask(page, "How does a pendulum go far?", "In time [§1].");
    await page.getByRole("link", { name: "[§1] A swing, at 2:05" }).click();
    await page.getByRole("heading", { name: film.title, level: 1 }).waitFor();
    await cited(page).getByText("Pushed in time, the pendulum goes far.").waitFor();
    await expect.poll(() => isFocused(page)).toBe(true);
    expect(await cited(page).getAttribute("aria-current")).toBe("true");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe("Play from 2:05");
    expect(await violationsOnEachSize(page)).toEqual([]);
  });

  it("open the cited file in its item", async () => {
    // The browser's own clock decides when an address expires.
    world.setNow(new Date());
    const { page, course, module, university } = await inCourse("desktop");
    const author = world.as(await make.holder("instructor", university.id));
    const { body: file } = await sendFile(
      world.deps,
      author,
      { purpose: "ASSET", course_id: course.id },
      Buffer.from("A tuning fork sounds four hundred and forty times a second."),
    );
    const shelf = await make.contentItem(module, university.id, { title: "A shelf", type: "resource" });
    const resources = [{ label: "Sound", kind: "article", file_id: file.id }];
    expect((await author.put(`/content/${shelf.id}`, { data_json: { resources } })).status).toBe(200);
    await extractDocumentTexts(world.deps, new AbortController().signal);
    await ask(page, "How often does a tuning fork sound?", "Often [§1].");
    await page.getByRole("link", { name: "[§1] A shelf, notes.txt" }).click();
    await cited(page).getByRole("link", { name: "Sound" }).waitFor();
    await expect.poll(() => isFocused(page)).toBe(true);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Sound");
    expect(await violationsOnEachSize(page)).toEqual([]);
  });
});
