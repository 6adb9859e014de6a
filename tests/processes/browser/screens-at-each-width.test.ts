import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { excessAtEachWidth, violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openDemonstration, signIn } from "./demonstration.ts";

type Topic = { course: number; offering: number; item: number };

/** Screens by who opens them first. */
const screens: Record<string, (topic: Topic) => string[]> = {
  mina: ({ course, offering, item }) => [
    ...["", "catalog", "flashcards", "account", "notifications"],
    `courses/${course}/${offering}`,
    `courses/${course}/${offering}/${item}`,
    `courses/${course}/${offering}/grades`,
    `courses/${course}/${offering}/discussions`,
  ],
  helena: ({ course, offering, item }) => [
    "teaching",
    `teaching/${course}/${offering}`,
    ...["gradebook", "submissions", "tutor", "announcements"].map(
      (part) => `teaching/${course}/${offering}/${part}`,
    ),
    `teaching/${course}/${offering}/topics/${item}`,
    `authoring/${course}`,
    `authoring/${course}/items/${item}`,
  ],
  priya: () => ["reports", "prompts", "prompts/tutor"],
};

describe.skipIf(!systemBrowser)("the demonstration's screens", () => {
  const { world, browser } = openDemonstration();

  it.each(Object.keys(screens))(
    "fit each width and text of 200 %, by day and by night, for %s",
    async (name) => {
      const [topic] = await world.deps.db
        .select({ course: contentItems.course_id, offering: courseOfferings.id, item: contentItems.id })
        .from(contentItems)
        .innerJoin(courseOfferings, eq(courseOfferings.course_id, contentItems.course_id))
        .where(eq(contentItems.title, "The idea of the Fourier series"));
      if (!topic) throw new Error("The demonstration's topic is not there");
      const { page, complaints } = await browser.visit("/app");
      await signIn(page, `${name}@northgate.example`);
      const faults: Record<string, string[]> = {};
      for (const screen of screens[name]?.(topic) ?? []) {
        await page.evaluate(`location.hash = "#/${screen}"`);
        await page.waitForLoadState("networkidle");
        await page.locator("main h1").first().waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        const found = [...(await violationsOf(page)), ...(await excessAtEachWidth(page))];
        if (found.length > 0) faults[screen] = found;
      }
      expect(faults).toEqual({});
      expect(complaints).toEqual([]);
    },
  );
});
