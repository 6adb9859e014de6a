import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { follow, headed, press } from "./steps.ts";

const password = "correct horse battery staple";

describe.skipIf(!systemBrowser)("a grader in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  // The browser's own clock decides what is due and when a claim expires.
  beforeAll(() => world.setNow(new Date()));

  async function at(person: { id: number; email: string }, route: string) {
    const password_hash = await hashPassword(password, 4);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, person.id));
    const { page } = await browser.visit(`/app#${route}`);
    await page.getByLabel("E-mail").fill(person.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
    return page;
  }

  it("reads the task, its criteria and earlier attempts next to the work, and continues with a key", async () => {
    const lab = await openLab(world);
    const data_json = {
      instructions: "Measure the **edges**.",
      criteria: ["Units are named"],
      max_points: 80,
    };
    await world.deps.db.update(contentItems).set({ data_json }).where(eq(contentItems.id, lab.paper.id));
    const second = await make.person({ full_name: "Second Learner" });
    await make.enrollment(second.id, lab.offering.id);
    const first = (await lab.submit({ body: "A first try" }, lab.learner, lab.paper)).body;
    expect((await lab.giveBack(first.id, "Once more, please")).status).toBe(200);
    const again = (await lab.submit({ body: "A better try" }, lab.learner, lab.paper)).body;
    const next = (await lab.submit({ body: "Of someone else" }, second, lab.paper)).body;

    const teaching = `/teaching/${lab.course.id}/${lab.offering.id}`;
    const page = await at(lab.assistant, `${teaching}/submissions/${again.id}`);
    await page.getByText("Measure the edges.").waitFor();
    await page.getByText("Units are named").waitFor();
    await page.getByRole("link", { name: "Attempt 1" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // In a text field, the shortcut key types a letter.
    await page.getByLabel("Feedback").pressSequentially("not now");
    expect(await page.getByLabel("Feedback").inputValue()).toBe("not now");
    expect(new URL(page.url()).hash).toBe(`#${teaching}/submissions/${again.id}`);
    await page.getByLabel("Feedback").fill("");
    await page.reload();
    await page.getByRole("link", { name: /Next to grade/ }).waitFor();
    await page.keyboard.press("n");
    await page.getByText("Of someone else").waitFor();
    expect(new URL(page.url()).hash).toBe(`#${teaching}/submissions/${next.id}`);
  });

  it("sees a quiz's takers and their answers, makes an exception, and regrades", async () => {
    const quiz = await openQuiz(world, { quiz_mode: "exam", time_limit_seconds: 600 });
    const attempt = (await quiz.start()).body;
    expect((await quiz.submit(attempt.id, quiz.right)).body.score_obtained).toBe(5);

    const teaching = `/teaching/${quiz.course.id}/${quiz.offering.id}`;
    const page = await at(quiz.teacher, `${teaching}/gradebook`);
    await follow(page, quiz.item.title);
    // The gradebook has the same row.
    await headed(page, quiz.item.title);
    await page.getByRole("row", { name: new RegExp(quiz.learner.full_name) }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole("searchbox", { name: "Name or e-mail address" }).last().fill(quiz.learner.full_name);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Exception for ${quiz.learner.full_name}` }).click();
    await page.getByLabel("Minutes").pressSequentially("20.5");
    await page.getByLabel("Attempts", { exact: true }).last().pressSequentially("3");
    await page.getByLabel("Nothing is due").check();
    await press(page, "Save the exception");
    await page.getByText(/20:30.*3 attempts.*Nothing is due/).waitFor();
    const granted = await world.as(quiz.teacher).get(`${quiz.quiz}/overrides`);
    expect(granted.body).toMatchObject([
      { user_id: quiz.learner.id, time_limit_seconds: 1230, max_attempts: 3, no_due_date: true },
    ]);
    expect(await violationsOf(page)).toEqual([]);

    await press(page, "Regrade");
    await page.getByText("1 attempt regraded.").waitFor();

    await page.getByText("Remove a question").click();
    const first = page.getByRole("listitem").filter({ hasText: "One?" });
    await first.getByLabel("Effect of the question").selectOption({ label: "Does not count" });
    await first.getByRole("button", { name: "Preview" }).click();
    await first.getByText("1 of 1 attempt would change.").waitFor();
    await first.getByRole("cell", { name: "4 / 4 · passed" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await first.getByLabel("Reason (recorded)").fill("Two options are correct");
    await first.getByRole("button", { name: "Regrade" }).click();
    await page.getByRole("cell", { name: "4 / 4 · passed" }).first().waitFor();
    await expect
      .poll(async () => (await world.as(quiz.teacher).get(`/assessments/attempts/${attempt.id}`)).body)
      .toMatchObject({ score_obtained: 4, max_score: 4 });

    await page.getByRole("link", { name: /Attempt 1/ }).click();
    await page.getByRole("heading", { name: `${quiz.learner.full_name} · Attempt 1` }).waitFor();
    await page.getByText("How many?").waitFor();
    await page.getByText("This question was removed: it does not count.").waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // A file from a German spreadsheet.
    await page.goto(new URL(`/app#${teaching}/gradebook`, browser.url()).href);
    await page.getByText("Import grades from a file").click();
    const buffer = Buffer.from(`user_id;${quiz.item.id} Quiz\r\n${quiz.learner.id};62,5\r\n`);
    await page.getByLabel("CSV file").setInputFiles({ name: "g.csv", mimeType: "text/csv", buffer });
    await page.getByLabel("Reason (recorded)").pressSequentially("On paper");
    await press(page, "Start");
    await page.getByText("Dry run 1 changed, 0 unchanged, 0 rejected.").waitFor();
    await page.getByText("semicolon between fields").waitFor();
    await page.getByText("100 → 62.5").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Dry run: preview the changes only").uncheck();
    await press(page, "Start");
    await page.getByText("The import 1 changed").waitFor();
    await page.getByRole("button", { name: /62.5/ }).first().waitFor();

    await page.goto(
      new URL(`/app#/authoring/${quiz.course.id}/questions/${quiz.pool.id}`, browser.url()).href,
    );
    await page.getByText("Question statistics").click();
    const row = page.getByRole("row", { name: /How many\?/ });
    await row.waitFor();
    expect(await row.innerText()).toContain("100%");
    expect(await violationsOf(page)).toEqual([]);
  });
});
