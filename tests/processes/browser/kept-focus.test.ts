import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signIn } from "./demonstration.ts";
import { countRequests, pressEach } from "./press-each.ts";

describe.skipIf(!systemBrowser)("the focus after each press, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  /** Each screen with the presses that lost the focus. Later topics are tested without their tutor. */
  async function lostOn(email: string, screens: string[]): Promise<string[]> {
    const { page } = await browser.visit("/app");
    await countRequests(page);
    await page.reload();
    await signIn(page, email);
    const lost: string[] = [];
    for (const [at, screen] of screens.entries()) {
      await page.evaluate(`location.hash = "#/${screen}"`);
      const found = await pressEach(page, at === 0 ? "tbody tr + tr *" : "tbody tr + tr *, .tutor *");
      lost.push(...found.lost.map((name) => `${screen}: ${name}`));
    }
    return lost;
  }

  const one = async (query: string): Promise<Record<string, number>> => {
    const { rows } = await world.deps.db.execute<Record<string, number>>(sql.raw(query));
    return rows[0] ?? {};
  };
  const courseOf = (title: string) =>
    one(`
    select run.course_id as course, run.id as offering,
           (select id from discussion_threads where course_offering_id = run.id order by id limit 1) as thread
    from course_offerings as run join courses on courses.id = run.course_id where title = '${title}' order by run.id limit 1`);
  const itemOf = async (course: number | undefined, type: string) =>
    (
      await one(`
      select item.id from content_items as item join content_types as kind on kind.id = content_type_id
      where course_id = ${course} and kind.name = '${type}' order by item.id limit 1`)
    )["id"];

  it("is on something, on each of a learner's screens", async () => {
    const { course, offering, thread } = await courseOf("Introduction to Signals");
    const here = `courses/${course}/${offering}`;
    const topics = await Promise.all(["text", "assignment", "quiz"].map((type) => itemOf(course, type)));
    const screens = [
      ...topics.filter(Boolean).map((id) => `${here}/${id}`),
      ...["/grades", "/discussions", `/discussions/${thread}`, "/announcements", "/groups", ""].map(
        (part) => here + part,
      ),
      ...["", "catalog", "notifications", "certificates"],
      ...["flashcards", "flashcards/kept", "flashcards/review", "search?q=signal", "feature-requests"],
    ];
    expect(await lostOn("mina@northgate.example", screens)).toEqual([]);
  });

  it("so on those of a class", async () => {
    const { course, offering, thread } = await courseOf("Introduction to Signals");
    const here = `teaching/${course}/${offering}`;
    const screens = [
      `${here}/topics/${await itemOf(course, "text")}`,
      ...["", "/gradebook", "/submissions", "/discussions", `/discussions/${thread}`, "/moderation"].map(
        (part) => here + part,
      ),
    ];
    expect(await lostOn("priya@northgate.example", screens)).toEqual([]);
  });
});
