import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import type { Person } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { headed } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const scrolled = (page: Page) => page.evaluate<number>("Math.round(scrollY)");
const focused = (page: Page) => page.evaluate<string>("document.activeElement.innerText");
const sizeOf = (page: Page) =>
  page.evaluate<[height: number, nodes: number]>(
    "[document.documentElement.scrollHeight, document.querySelectorAll('main *').length]",
  );

describe.skipIf(!systemBrowser)("a course of a thousand topics, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  let learner: Person;
  let address: string;

  beforeAll(async () => {
    const { course, offering, item, university } = await make.topic();
    await world.deps.db.execute(sql`
      with made as (
        insert into modules (course_id, module_type, title, sequence_index, is_published)
        select ${course.id}, 'unit', 'Week ' || n, 1000000 + n, true from generate_series(1, 25) as n returning *
      )
      insert into content_items
        (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      select made.id, made.course_id, ${university.id}, ${item.content_type_id},
             'Topic ' || n || ' of ' || lower(made.title), n, '{"body": "Words"}'
      from made cross join generate_series(1, 40) as n`);
    learner = await make.ownPerson(university.id);
    await make.enrollment(learner.id, offering.id);
    address = `courses/${course.id}/${offering.id}`;
  });

  const fold = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const topic = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

  it("is collapsed except around the current topic, in few nodes, and keeps its state on this device", async () => {
    const { page, complaints } = await visitAs(world, browser, learner, address);
    await fold(page, "Week 25").waitFor();
    // Unfolded it was 65 348 px with 5 204 nodes; folded it is 3 239 px with 234.
    const [height, nodes] = await sizeOf(page);
    expect([height < 4000, nodes < 400], `${height} px, ${nodes} nodes`).toEqual([true, true]);
    expect(await fold(page, "Week 3").getAttribute("aria-expanded")).toBe("false");
    expect(await page.getByText("0 of 40 done").count()).toBe(25);
    await fold(page, "Week 3").focus();
    await page.keyboard.press("Enter");
    await topic(page, "Topic 40 of week 3").waitFor();
    expect(await fold(page, "Week 3").getAttribute("aria-expanded")).toBe("true");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.reload();
    await topic(page, "Topic 40 of week 3").waitFor();
    await fold(page, "Week 3").click();
    await expect.poll(() => topic(page, "Topic 40 of week 3").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("is searched while one types", async () => {
    const { page } = await visitAs(world, browser, learner, address);
    const search = page.getByLabel("Find a topic");
    await search.pressSequentially("WEEK 17 topic 40");
    await page.getByText("1 topic found", { exact: true }).waitFor();
    expect(await page.locator("[data-item]").allInnerTexts()).toEqual([
      expect.stringContaining("Topic 40 of week 17"),
    ]);
    await search.fill("of week");
    await page.getByText("1000 topics found. The first 100 are shown").waitFor();
    expect(await page.locator("[data-item]").count()).toBe(100);
    expect(await violationsOf(page)).toEqual([]);
    await search.fill("no such words");
    await page.getByText("0 topics found").waitFor();
    await search.fill("");
    await fold(page, "Week 25").waitFor();
  });

  it("shows the module next to a topic, and keeps the position for a return", async () => {
    const { page, complaints } = await visitAs(world, browser, learner, address);
    await fold(page, "Week 20").click();
    await topic(page, "Topic 30 of week 20").scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate("history.state.scrolled > 0")).toBe(true);
    const before = await scrolled(page);
    await topic(page, "Topic 30 of week 20").click();
    await headed(page, "Topic 30 of week 20");
    const beside = page.getByRole("navigation", { name: "Topics of this module" });
    await beside.getByText("Week 20: topic 30 of 40").waitFor();
    expect(await beside.locator("[aria-current]").innerText()).toBe("Topic 30 of week 20");
    expect(await beside.getByRole("listitem").count()).toBe(31);
    expect(await violationsOnEachSize(page)).toEqual([]);

    await page.goBack();
    await topic(page, "Topic 30 of week 20").waitFor();
    await expect.poll(() => scrolled(page)).toBe(before);
    expect(await focused(page)).toBe("Topic 30 of week 20");

    await page.goForward();
    await beside.getByRole("link", { name: "Topic 35 of week 20" }).click();
    await headed(page, "Topic 35 of week 20");
    await page.locator("a.back").click();
    await topic(page, "Topic 35 of week 20").waitFor();
    await expect.poll(() => focused(page)).toBe("Topic 35 of week 20");
    expect(await scrolled(page)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });
});
