import { and, eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeEach } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { openBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";

const password = "a password of the tests";

/** A learner at a quiz in the browser. */
export function openQuizPage() {
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

  return { world, signIn, visitQuiz, answering, expireSignIn };
}
