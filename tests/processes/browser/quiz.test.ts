import { and, eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";

const password = "a password of the tests";

describe.skipIf(!systemBrowser)("a quiz in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  // The browser's own clock counts down.
  beforeEach(() => world.setNow(new Date()));

  type Quiz = Awaited<ReturnType<typeof openQuiz>>;

  async function signIn(page: Page, { learner }: Quiz) {
    await page.getByLabel("E-mail").fill(learner.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
  }

  async function visitQuiz(data: Parameters<typeof openQuiz>[1] = {}) {
    const quiz = await openQuiz(world, data);
    const password_hash = await hashPassword(password, 4);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, quiz.learner.id));
    const path = `/app#/courses/${quiz.course.id}/${quiz.offering.id}/${quiz.item.id}`;
    const { page, complaints } = await browser.visit(path);
    page.setDefaultTimeout(15_000);
    await signIn(page, quiz);
    const [single, multiple, truth, numeric, short] = quiz.questions;
    const field = (question: typeof short, on = page) => on.locator(`#question-${question?.id}`);
    const option = (question: typeof short, words: string, on = page) =>
      on.getByRole("group", { name: question?.question_text ?? "" }).getByLabel(words, { exact: true });
    return {
      ...{ quiz, page, complaints, path, field, option, single, multiple, truth, numeric, short },
      number: field(numeric),
      text: field(short),
      start: async () => {
        await press(page, "Start");
        await page.getByRole("button", { name: "Submit" }).waitFor();
      },
      stored: async () => {
        const mine = and(
          eq(quizAttempts.user_id, quiz.learner.id),
          eq(quizAttempts.content_item_id, quiz.item.id),
        );
        const [row] = await world.deps.db.select().from(quizAttempts).where(mine);
        return (row?.raw_response_json ?? {}) as Record<string, unknown>;
      },
    };
  }

  /** Answers the page's dialogs and collects their texts. */
  function answering(page: Page, yes: () => boolean = () => true): string[] {
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.message());
      await (yes() ? dialog.accept() : dialog.dismiss());
    });
    return asked;
  }

  const expireSignIn = (page: Page) =>
    page.evaluate(`
      for (const key of Object.keys(localStorage)) if (key.startsWith("tokens of"))
        localStorage.setItem(key, JSON.stringify({ access_token: "expired", refresh_token: "expired" }));`);

  describe("a number that is typed key by key", () => {
    it("is the number that it is, in every spelling, and no other", async () => {
      const { start, number, numeric, stored, page } = await visitQuiz();
      await start();
      const spelled: [string, number][] = [
        ["3.14", 3.14],
        ["-5", -5],
        ["0.05", 0.05],
        ["1e-3", 0.001],
        ["10.0", 10],
        ["+3", 3],
        [".5", 0.5],
        ["3.", 3],
        ["  42 ", 42],
        ["\u22127", -7],
      ];
      for (const [keys, value] of spelled) {
        await number.clear();
        await number.pressSequentially(keys, { delay: 5 });
        expect(await number.inputValue()).toBe(keys);
        await expect.poll(async () => (await stored())[String(numeric?.id)]).toBe(value);
      }
      expect(await page.getByText("not a number").count()).toBe(0);
    });

    it("is reported as invalid at its field, and is not sent, if it is ambiguous", async () => {
      const { start, number, numeric, stored, page, short, text } = await visitQuiz();
      await start();
      await number.pressSequentially("7");
      await saved(page);
      await number.clear();
      await number.pressSequentially("1,234");
      expect(await number.getAttribute("aria-invalid")).toBeNull();
      await text.fill("on");
      expect(await number.getAttribute("aria-invalid")).toBe("true");
      const told = page.locator(`#${await number.getAttribute("aria-describedby")}`);
      expect(await told.innerText()).toContain("Enter a number like 3.14");
      await expect.poll(async () => (await stored())[String(short?.id)]).toBe("on");
      expect((await stored())[String(numeric?.id)]).not.toBe(1.234);
      expect(await page.getByText("Not saved yet.").count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel("Language").selectOption("de");
      await expect.poll(async () => (await stored())[String(numeric?.id)]).toBe(1.234);
    });

    it("is shown as answered, and with the correct answer", async () => {
      const { start, number, page, quiz, numeric, option, truth } = await visitQuiz();
      await start();
      await option(truth, "True").check();
      await number.pressSequentially("3.14159");
      answering(page);
      await press(page, "Submit");
      await page.getByText("Your answer: 3.14159").waitFor();
      // The marks have text for screen readers.
      const said = await page.getByRole("region", { name: /points/ }).ariaSnapshot();
      expect(said).toMatch(/strong: Right\.\s+- text: "Your answer: True"/);
      expect(said).toMatch(/strong: Wrong\.\s+- text: "Your answer: 3\.14159"/);
      const key = numeric?.answer_json as { value: number };
      await page.getByText(`Right: ${key.value}`, { exact: true }).waitFor();
      expect((await quiz.read(1)).status).toBeLessThan(500);
    });
  });

  it("two tabs keep each other's answers, and each shows the other's", async () => {
    const { start, page, path, option, single, truth, text, short, stored, field } = await visitQuiz();
    await start();
    const other = await page.context().newPage();
    await other.goto(new URL(path, page.url()).href);
    await press(other, "Continue");
    await page.bringToFront();
    await option(single, "Option B").check();
    await text.pressSequentially("Isaac");
    await saved(page);
    await option(truth, "True", other).check();
    await saved(other);
    await other.evaluate("dispatchEvent(new Event('focus'))");
    await expect.poll(() => field(short, other).inputValue()).toBe("Isaac");
    expect(await option(single, "Option B", other).isChecked()).toBe(true);
    const asked = answering(other);
    await press(other, "Submit");
    await other.getByRole("heading", { name: /points/ }).waitFor();
    expect(asked).toEqual([expect.stringContaining("2 of 5 questions are unanswered.")]);
    expect(Object.keys(await stored())).toHaveLength(3);
    // The first tab detects the end.
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByRole("heading", { name: /points/ }).waitFor();
  });

  it.each(["to another screen", "to another address", "by closing the tab"])(
    "an answer that is given 0.2 s before the page is left %s is saved",
    async (way) => {
      const { start, page, text, short, stored } = await visitQuiz();
      await start();
      await text.fill("in a hurry");
      await page.waitForTimeout(200);
      if (way === "to another screen") await page.getByRole("link", { name: "Catalog" }).click();
      else if (way === "by closing the tab") await page.close({ runBeforeUnload: true });
      else await page.goto("about:blank");
      await expect.poll(async () => (await stored())[String(short?.id)]).toBe("in a hurry");
    },
  );

  it("unsaved answers are reported, and are saved automatically when the network is back", async () => {
    const { start, page, text, short, stored } = await visitQuiz();
    await start();
    await page.context().setOffline(true);
    await text.pressSequentially("underground");
    await page.getByText("Not saved yet. No internet connection.").waitFor();
    expect((await stored())[String(short?.id)]).toBeUndefined();
    await page.context().setOffline(false);
    await saved(page);
    expect((await stored())[String(short?.id)]).toBe("underground");
  });

  it("a temporary failure of the service is retried, and an early click loses nothing", async () => {
    const { start, page, text, short, stored } = await visitQuiz();
    await start();
    let failures = 0;
    await page.route("**/responses", (route) =>
      ++failures > 2 ? route.continue() : route.fulfill({ status: 503, json: { detail: "Out of order" } }),
    );
    await text.pressSequentially("patience");
    await page.getByText("Retrying automatically.").waitFor();
    await saved(page);
    expect((await stored())[String(short?.id)]).toBe("patience");
    const asked = answering(page, () => false);
    await press(page, "Submit");
    await expect.poll(() => asked).toEqual([expect.stringContaining("4 of 5 questions are unanswered.")]);
    await text.press("End");
    await text.pressSequentially("!");
    await saved(page);
    expect((await stored())[String(short?.id)]).toBe("patience!");
  });

  it("the end of its time asks nothing, and counts the last input", async () => {
    const { start, page, text } = await visitQuiz({ quiz_mode: "exam", time_limit_seconds: 3600 });
    await page.clock.install({ time: new Date() });
    await start();
    const asked = answering(page);
    await text.fill("isaac newton");
    await page.clock.fastForward("01:00:00");
    await page.getByRole("heading", { name: "1 of 5 points" }).waitFor();
    expect(asked).toEqual([]);
  });

  it("before the start it shows attempts, time, closing, and the silent tutor; and offers no more attempts than are left", async () => {
    const { start, page, quiz } = await visitQuiz({
      ...{ quiz_mode: "exam", time_limit_seconds: 600, mastery: { max_attempts: 2 } },
      due_at: "2099-01-02T12:00:00.000Z",
    });
    await page.getByText("0 of 2 attempts taken. 2 left.").waitFor();
    await page.getByText("You have 10:00 minutes after you start.").waitFor();
    await page.getByText("Closes on Jan 2, 2099").waitFor();
    await page.getByText("The tutor of this course is off from your start until you submit").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const granted = { max_attempts: 1, time_limit_seconds: 900 };
    const overrides = `${quiz.quiz}/overrides/${quiz.learner.id}`;
    expect((await world.as(quiz.teacher).put(overrides, granted)).status).toBe(200);
    await page.reload();
    await page.getByText("0 of 1 attempt taken. 1 left.").waitFor();
    await page.getByText("You have 15:00 minutes after you start.").waitFor();
    await start();
    answering(page);
    await press(page, "Submit");
    await page.getByText("1 of 1 attempt taken. 0 left.").waitFor();
    expect(await page.getByRole("button", { name: /^(Start|Try again|Continue)$/ }).count()).toBe(0);
  });

  it("a sign-in that ends in the middle loses nothing: the attempt continues with the typed answers", async () => {
    const { start, page, text, number, quiz, short, numeric, stored } = await visitQuiz();
    await start();
    await expireSignIn(page);
    // No answer is saved before both are typed: the sign-in would take the place of the fields.
    const typed = Promise.withResolvers<void>();
    await page.route("**/api/v1/**", (route) => typed.promise.then(() => route.continue()));
    await number.pressSequentially("-2.50");
    await text.pressSequentially("Isaac Ne");
    typed.resolve();
    await page.getByLabel("E-mail").waitFor();
    expect(await stored()).toEqual({});
    await signIn(page, quiz);
    await press(page, "Continue");
    expect(await text.inputValue()).toBe("Isaac Ne");
    expect(await number.inputValue()).toBe("-2.50");
    await saved(page);
    await text.press("End");
    await text.pressSequentially("wton");
    await expect.poll(async () => (await stored())[String(short?.id)]).toBe("Isaac Newton");
    expect((await stored())[String(numeric?.id)]).toBe(-2.5);
  });

  it("the outline shows its result, and the number of attempts", async () => {
    const { page, quiz, start, text } = await visitQuiz({
      mastery: { max_attempts: 2, passing_percent: 90 },
    });
    const line = page.locator(".item", { hasText: quiz.item.title });
    answering(page);
    await start();
    await text.fill("wrong");
    await saved(page);
    await page.getByRole("link", { name: /^\u2190/ }).click();
    await line.getByText("Attempt 1 of 2 \u00b7 in progress", { exact: true }).waitFor();
    await line.getByRole("link").click();
    await press(page, "Continue");
    await press(page, "Submit");
    await page.getByRole("heading", { name: "0 of 5 points" }).waitFor();
    await page.getByRole("link", { name: /^\u2190/ }).click();
    await line.getByText("Attempt 1 of 2 \u00b7 not passed \u00b7 0 points", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
