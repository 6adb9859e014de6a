import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { allOr } from "../../support/representatives.ts";
import { openQuizPage } from "./quiz-page.ts";
import { press, saved } from "./steps.ts";

describe.skipIf(!systemBrowser)("a quiz in a browser", () => {
  const { world, visitQuiz, answering } = openQuizPage();

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
      for (const [keys, value] of allOr(spelled, () => spelled.slice(-3))) {
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
});
