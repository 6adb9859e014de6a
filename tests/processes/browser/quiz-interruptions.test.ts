import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openQuizPage } from "./quiz-page.ts";
import { press, saved } from "./steps.ts";

describe.skipIf(!systemBrowser)("an interrupted quiz in a browser", () => {
  const { signIn, visitQuiz, answering, expireSignIn } = openQuizPage();

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
