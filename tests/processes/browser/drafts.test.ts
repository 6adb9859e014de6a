import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";

const password = "a password of the tests";
const essay = "An essay of many words.\n\nIts second paragraph.";

describe.skipIf(!systemBrowser)("unsent text in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  /** An assignment's page, and two learners of its course who can sign in. */
  async function visitAssignment() {
    const { university, course, offering, module } = await make.topic();
    const item = await make.contentItem(module, university.id, { type: "assignment", title: "The essay" });
    const [learner, classmate] = [await make.person(), await make.person()];
    const password_hash = await hashPassword(password, 4);
    for (const person of [learner, classmate]) {
      await make.enrollment(person.id, offering.id);
      await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, person.id));
    }
    const { page, complaints } = await browser.visit(`/app#/courses/${course.id}/${offering.id}/${item.id}`);
    page.setDefaultTimeout(15_000);
    const signIn = async (person = learner, on: Page = page) => {
      await on.getByLabel("E-mail").fill(person.email);
      await on.getByLabel("Password").fill(password);
      await press(on, "Sign in");
      await on.getByRole("heading", { name: "The essay" }).waitFor();
    };
    await signIn();
    const asked: string[] = [];
    const answer = { yes: false };
    page.on("dialog", async (dialog) => {
      asked.push(dialog.message());
      await (answer.yes ? dialog.accept() : dialog.dismiss());
    });
    const field = page.getByLabel("Text", { exact: true });
    return { page, complaints, item, learner, classmate, signIn, field, asked, answer };
  }

  it("survives the end of a session and a reload, and is deleted once it is sent", async () => {
    const { page, field, item, signIn, asked } = await visitAssignment();
    await field.pressSequentially(essay.slice(0, 10));
    await field.fill(essay);
    await page.evaluate(`
      for (const key of Object.keys(localStorage)) if (key.startsWith("tokens of"))
        localStorage.setItem(key, JSON.stringify({ access_token: "expired", refresh_token: "expired" }));`);
    await press(page, "Hand in");
    await signIn();
    await expect.poll(() => field.inputValue()).toBe(essay);
    await page.getByText(/Draft of .*, not sent yet\./).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe(essay);
    await press(page, "Hand in");
    await page.getByText("Attempt 1").waitFor();
    const stored = await world.deps.db
      .select({ body: labSubmissions.body })
      .from(labSubmissions)
      .where(eq(labSubmissions.content_item_id, item.id));
    expect(stored).toEqual([{ body: essay }]);
    await page.reload();
    await page.getByText("Submit another attempt").click();
    expect(await field.inputValue()).toBe("");
    expect(asked).toEqual([]);
  });

  it("is restored after a visit to another screen, until it is discarded", async () => {
    const { page, field, asked } = await visitAssignment();
    await field.fill(essay);
    await page.getByRole("link", { name: "Catalog" }).click();
    await page.getByRole("heading", { name: "Catalog" }).waitFor();
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe(essay);
    await press(page, "Discard draft");
    expect(await field.inputValue()).toBe("");
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe("");
    expect(asked).toEqual([]);
  });

  it("is hidden from other users, and deleted with a confirmed sign-out", async () => {
    const { page, field, signIn, classmate, asked, answer } = await visitAssignment();
    await field.fill(essay);
    await press(page, "Sign out");
    await expect.poll(() => asked).toEqual([expect.stringContaining("1 unsent text")]);
    expect(await field.inputValue()).toBe(essay);

    await page.evaluate(`
      for (const key of Object.keys(localStorage)) if (key.startsWith("tokens of")) localStorage.removeItem(key);`);
    await page.reload();
    await signIn(classmate);
    await field.waitFor();
    expect(await field.inputValue()).toBe("");
    await press(page, "Sign out");
    await signIn();
    await expect.poll(() => field.inputValue()).toBe(essay);
    expect(asked).toHaveLength(1);

    answer.yes = true;
    await press(page, "Sign out");
    await signIn();
    await field.waitFor();
    expect(await field.inputValue()).toBe("");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("essay");
  });
});
