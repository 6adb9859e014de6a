import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openQuiz } from "../../api/assessment/exam.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

/** Replaces the page size by two in requests for full pages. */
const pagesOfTwo = (page: Page) =>
  page.route(/[?&]limit=1000\b/, (route) =>
    route.continue({ url: route.request().url().replace("limit=1000", "limit=2") }),
  );

describe.skipIf(!systemBrowser)("lists of more than a page, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  const five = [1, 2, 3, 4, 5];

  it("offer every term to choose from", async () => {
    const { course, offering, university } = await make.topic();
    const names = await Promise.all(five.map(async () => (await make.term(university.id)).name));
    const author = await make.holder("instructor", university.id);
    const { page } = await visitAs(world, browser, author, "");
    await pagesOfTwo(page);
    await page.evaluate(`location.hash = "#/authoring/${course.id}/offerings/${offering.id}"`);
    const options = page.locator("[name=term_id] option");
    await expect.poll(() => options.count()).toBeGreaterThan(5);
    expect((await options.allInnerTexts()).filter((name) => name !== "").toSorted()).toEqual(
      expect.arrayContaining(names.toSorted()),
    );
  });

  it("show staff every offering of their university", async () => {
    const university = await make.university();
    const titles = await Promise.all(
      five.map(async () => {
        const course = await make.course(university.id);
        await make.offering(course);
        return course.title;
      }),
    );
    const { page } = await visitAs(world, browser, await make.holder("ta", university.id), "");
    await pagesOfTwo(page);
    await page.evaluate('location.hash = "#/teaching"');
    await page.getByText("All offerings", { exact: true }).click();
    const all = page.getByRole("region", { name: "All offerings" });
    for (const title of titles) await all.getByText(title, { exact: true }).waitFor();
  });

  it("show every answer of a class's tree, below the one that it follows from", async () => {
    const { course, offering, item, university } = await make.topic();
    const { rows } = await world.deps.db.execute<{ id: number }>(answersOf(item.id, null, [0]));
    await world.deps.db.execute(answersOf(item.id, rows[0]?.id ?? 0, five));
    const { page } = await visitAs(world, browser, await make.holder("ta", university.id), "");
    await pagesOfTwo(page);
    await page.evaluate(`location.hash = "#/teaching/${course.id}/${offering.id}/topics/${item.id}"`);
    await expect.poll(() => page.locator(".node").count()).toBe(6);
    for (const n of five) await page.getByText(`Answer ${n}`).first().waitFor();
  });

  it("move the focus to the first new line after loading more", async () => {
    const { db } = world.deps;
    const { course, offering, item, module } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    await db.execute(sql`
      insert into content_items
        (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      select module_id, course_id, university_id, content_type_id, 'Topic ' || n, 1000000 + n, data_json
      from content_items cross join generate_series(1, 60) as n where id = ${item.id}`);
    await db.execute(sql`
      with someone as (
        insert into users (email, full_name)
        select 'classmate-' || n || '@example.edu', 'Classmate ' || lpad(n::text, 2, '0') from generate_series(1, 60) as n
        returning id)
      insert into enrollments (user_id, course_offering_id, status) select id, ${offering.id}, 'active' from someone`);
    const thread = await world
      .as(learner)
      .post(`/community/offerings/${offering.id}/threads`, { title: "Beats", body: "Post 0" });
    await db.execute(sql`
      insert into discussion_posts (thread_id, user_id, body)
      select ${thread.body.id}, ${learner.id}, 'Post ' || n from generate_series(1, 105) as n`);
    /** Presses the button as by the keyboard: the line that has the focus then. */
    const afterMore = async (page: Page, name: string) => {
      const lines = page.locator("main li, main tbody tr");
      const button = page.getByRole("button", { name });
      await button.waitFor();
      const before = await lines.count();
      await button.press("Enter");
      await expect.poll(() => lines.count()).toBeGreaterThan(before);
      return page.evaluate<string>("document.activeElement.innerText");
    };
    const here = `${course.id}/${offering.id}`;
    const own = await visitAs(world, browser, learner, `courses/${here}`);
    expect(await afterMore(own.page, `Show 11 more of ${module.title}`)).toContain("Topic 50");
    await own.page.evaluate(`location.hash = "#/courses/${here}/discussions/${thread.body.id}"`);
    expect(await afterMore(own.page, "Show more")).toContain("Post 100");
    const teacher = await make.holder("instructor", course.university_id);
    const { page } = await visitAs(world, browser, teacher, `teaching/${here}`);
    expect(await afterMore(page, "Show more")).toContain("Classmate 51");
    await page.evaluate(`location.hash = "#/teaching/${here}/gradebook"`);
    await page.getByRole("heading", { name: "Gradebook", level: 1 }).waitFor();
    expect(await afterMore(page, "Show more")).toContain("Classmate 51");
  });

  it("save a whole class's grades as CSV, with one heading", async () => {
    const quiz = await openQuiz(world);
    const people = await Promise.all(five.map(() => make.person()));
    for (const { id } of people) await make.enrollment(id, quiz.offering.id);
    const { page } = await visitAs(world, browser, quiz.teacher, "");
    await pagesOfTwo(page);
    await page.evaluate(`location.hash = "#/teaching/${quiz.course.id}/${quiz.offering.id}/gradebook"`);
    const saved = page.waitForEvent("download");
    await press(page, "Save as CSV");
    const lines = await linesOf(await (await saved).createReadStream());
    expect(lines.filter((line) => line.startsWith("user_id,"))).toHaveLength(1);
    for (const { email } of [quiz.learner, ...people])
      expect(lines.filter((line) => line.includes(email))).toHaveLength(1);
  });
});

/** Stores answers of a topic's tutor that follow from another, or begin. */
const answersOf = (item: number, parent: number | null, numbers: number[]) => sql`
  insert into cache_nodes (content_item_id, parent_id, message, chunks, prompt_name, prompt_version, model,
    prompt_fingerprint, content_fingerprint)
  select ${item}, ${parent}, 'Said ' || number, jsonb_build_array('Answer ' || number), 'tutor', 1,
         'model', 'p', 'c'
  from unnest(${`{${numbers.join()}}`}::int[]) as number
  returning id`;

async function linesOf(stream: NodeJS.ReadableStream): Promise<string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().trim().split("\r\n");
}
