import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/auth/passwords.ts";
import { users } from "../../../schema/db/users.ts";
import { openQuiz } from "../../api/assessments/exam.ts";
import { faultsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";

const password = "a password of the tests";

describe.skipIf(!systemBrowser)("points that change while scores stand, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  it("ask whether the scores are scaled, and are saved once that is said", async () => {
    const quiz = await openQuiz(world, { mastery: { points: 10 } });
    const { id } = (await quiz.start()).body;
    await quiz.submit(id, quiz.right.slice(0, 2));
    const gradebook = `/assessments/offerings/${quiz.offering.id}/gradebook`;
    const score = async () => (await world.as(quiz.teacher).get(gradebook)).body.rows[0].cells[0].score;
    expect(await score()).toBe(4);
    const password_hash = await hashPassword(password, 4);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, quiz.teacher.id));
    const { page } = await browser.visit(`/app#/authoring/${quiz.course.id}/items/${quiz.item.id}`);
    await page.getByLabel("E-mail").fill(quiz.teacher.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
    const points = page.getByRole("textbox", { name: "Points", exact: true });
    const asked = page.getByLabel("Scores that stand");
    await points.waitFor();
    expect(await asked.count()).toBe(0);
    await points.fill("20");
    await asked.waitFor();
    await press(page, "Save");
    await page.getByText("rescale should be true").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await asked.selectOption("Scale them to the new points");
    await press(page, "Save");
    await saved(page);
    expect(await asked.count()).toBe(0);
    expect(await score()).toBe(8);
  });
});
