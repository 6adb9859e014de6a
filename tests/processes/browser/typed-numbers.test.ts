import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { questions } from "../../../schema/db/assessment/questions.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";

const password = "a password of the tests";

describe.skipIf(!systemBrowser)("numbers that staff type key by key", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  async function visitAsTeacher(route: (quiz: Awaited<ReturnType<typeof openQuiz>>) => string) {
    const quiz = await openQuiz(world);
    const password_hash = await hashPassword(password, 4);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, quiz.teacher.id));
    const { page } = await browser.visit(`/app#/${route(quiz)}`);
    page.setDefaultTimeout(15_000);
    await page.getByLabel("E-mail").fill(quiz.teacher.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
    return { page, quiz };
  }

  it("are a grade as typed, and an invalid one is reported at its field", async () => {
    const { page, quiz } = await visitAsTeacher(
      ({ course, offering }) => `teaching/${course.id}/${offering.id}/gradebook`,
    );
    await page
      .getByRole("button", { name: new RegExp(`${quiz.learner.full_name}.*${quiz.item.title}`) })
      .click();
    const score = page.getByRole("textbox", { name: /^Points/ });
    await page.getByLabel("Reason").fill("Seen on paper");
    await score.pressSequentially("7,5");
    expect(await score.getAttribute("aria-invalid")).toBeNull();
    await press(page, "Set the grade");
    expect(await score.getAttribute("aria-invalid")).toBe("true");
    const told = page.locator(`#${await score.getAttribute("aria-describedby")}`);
    expect(await told.innerText()).toContain("Enter a number like 3.14");
    expect(await violationsOf(page)).toEqual([]);
    await score.clear();
    await score.pressSequentially("-1");
    await score.blur();
    await expect.poll(() => told.innerText()).toBe("At least 0");
    await score.clear();
    await score.pressSequentially("0.50");
    expect(await score.getAttribute("aria-invalid")).toBeNull();
    await press(page, "Set the grade");
    await page.getByRole("button", { name: /: 0\.5\. Change$/ }).waitFor();
  });

  it("are the correct answer of a question, with a comma if the language has one", async () => {
    const { page, quiz } = await visitAsTeacher(
      ({ course, pool }) => `authoring/${course.id}/questions/${pool.id}`,
    );
    await page.getByLabel("Language").selectOption("de");
    const question = page.getByRole("listitem").filter({ hasText: "How many?" });
    await question.getByText("Bearbeiten").click();
    const right = question.getByLabel("Richtige Antwort");
    await right.clear();
    await right.pressSequentially("-2,5e-1");
    expect(await right.inputValue()).toBe("-2,5e-1");
    const tolerance = question.getByLabel("Toleranz");
    await tolerance.clear();
    await tolerance.pressSequentially(",01");
    await question.getByRole("button", { name: "Speichern" }).click();
    const numeric = quiz.questions.find(({ kind }) => kind === "NUMERIC");
    await expect
      .poll(async () => {
        const [row] = await world.deps.db
          .select()
          .from(questions)
          .where(eq(questions.id, numeric?.id ?? 0));
        return row?.answer_json;
      })
      .toEqual({ value: -0.25, tolerance: 0.01 });
  });
});
