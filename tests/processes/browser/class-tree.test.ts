import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { insertDemonstration } from "../../../scripts/dev/seed/insert.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { signInAs } from "./demonstration.ts";

const sizes: Size[] = ["desktop", "phone"];

describe.skipIf(!systemBrowser)("a teacher's day in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);
  const teacher = "helena@northgate.example";

  beforeAll(async () => {
    const { db } = world.deps;
    await insertDemonstration(db, await hashPassword(demoPassword, 4), world.deps.now());
    const [learner] = await db.select().from(users).where(eq(users.email, "mina@northgate.example"));
    const [topic] = await db.select().from(contentItems).where(eq(contentItems.title, "What is a signal?"));
    const asked = {
      questionId: "q1",
      question: "Left or right?",
      options: [
        { id: "A", text: "Left" },
        { id: "B", text: "Right" },
      ],
    };
    world.llm.script(
      { chunks: [`Welcome, class.\n\n\`\`\`mcq\n${JSON.stringify(asked)}\n\`\`\``] },
      { chunks: ["Right it is."] },
      { chunks: ["Your own words."] },
    );
    const client = world.as(learner);
    const { body: session } = await client.post("/chat/sessions", { content_item_id: topic?.id });
    for (const content of ["Start.", '{"questionId":"q1","answer":"B"}', "But why?"])
      await client.post(`/chat/sessions/${session.id}/messages`, { content });
    const [instructor] = await db.select().from(users).where(eq(users.email, teacher));
    const author = world.as(instructor);
    const { body: current } = await author.get("/prompts/tutor");
    const prompt = current.prompt.replace("patient, warm and exact", "brief");
    expect((await author.post("/prompts", { name: "tutor", prompt })).status).toBe(201);
  });

  it.each(sizes)("on a %s shows the class, and each learner's progress", async (size) => {
    const { page, complaints } = await browser.visit("/app", size);
    await signInAs(page, teacher);
    await page.getByRole("link", { name: "Teaching" }).click();
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("row", { name: /Mina Park/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Mina Park" }).click();
    await page.getByRole("heading", { name: "Mina Park" }).waitFor();
    await page.getByRole("heading", { name: "Signals in time" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("sees on the class's tree where learners are and leave, on every screen, corrects an answer, and purges one", async () => {
    const address = await (async () => {
      const { page } = await browser.visit("/app", "phone");
      await signInAs(page, teacher);
      await page.getByRole("link", { name: "Teaching" }).click();
      await page.getByRole("link", { name: "Introduction to Signals" }).click();
      await page.getByRole("link", { name: "What is a signal?" }).click();
      await page.getByRole("article", { name: "Start" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      return new URL(page.url());
    })();
    const { page } = await browser.visit(address.pathname + address.hash);
    await signInAs(page, teacher);
    const start = page.getByRole("article", { name: "Start" });
    await start.waitFor();
    expect(await start.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/A · Left\s+0% \(0\)/),
      expect.stringMatching(/B · Right\s+100% \(1\)/),
    ]);
    const right = page.getByRole("article", { name: "B · Right" });
    expect(await right.innerText()).toContain("1 left here");
    expect(await violationsOf(page)).toEqual([]);

    await right.getByRole("button", { name: "Edit" }).click();
    await right.getByLabel("Answer for later learners").fill("Right, since it comes later.");
    await right.getByRole("button", { name: "Save" }).click();
    await right.getByText("edited", { exact: true }).waitFor();
    await right.getByText("Right, since it comes later.").first().waitFor();
    await right.getByText("pinned", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Pinned answers" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("undone", { exact: true }).waitFor();
    await right.getByText("pinned", { exact: true }).waitFor({ state: "detached" });

    const answer = start.getByLabel("Answer for later learners");
    await start.getByRole("button", { name: "Edit" }).click();
    await answer.fill("Hello, class.");
    expect(await violationsOf(page)).toEqual([]);
    await start.getByRole("button", { name: "Save" }).click();
    await start.getByText("Hello, class.").first().waitFor();
    await start.getByText("B · Right").waitFor();
    await right.waitFor();
    await start.getByRole("button", { name: "Edit" }).click();
    // Text, question and options are fields, all inside the card.
    expect(await answer.inputValue()).toBe("Hello, class.");
    expect(await start.getByLabel("Question text").inputValue()).toBe("Left or right?");
    expect(await start.getByLabel("Option A", { exact: true }).inputValue()).toBe("Left");
    const beyond = await start.evaluate((card) => {
      const { left, right } = card.getBoundingClientRect();
      return [...card.querySelectorAll("input, textarea, select, button")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.left < left || box.right > right;
      }).length;
    });
    expect(beyond).toBe(0);
    await start.getByLabel("Remove the question").check();
    const asked: string[] = [];
    page.once("dialog", async (dialog) => {
      asked.push(dialog.message());
      await dialog.dismiss();
    });
    await start.getByRole("button", { name: "Save" }).click();
    await start.getByText("Not saved. The question is still there.").waitFor();
    expect(asked).toEqual([
      expect.stringMatching(/Learners on this path see the text without options.* 1 answer /),
    ]);
    await right.waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await start.getByRole("button", { name: "Save" }).click();
    await start.getByText("B · Right").waitFor({ state: "detached" });
    await right.waitFor({ state: "detached" });
    await start.getByText("Hello, class.").first().waitFor();

    page.once("dialog", (dialog) => dialog.accept());
    await start.getByRole("button", { name: "Purge" }).click();
    await page.getByText("No stored answers yet.").waitFor();
  });

  it("compares versions of a prompt, and sees the impact of moving a label", async () => {
    const { page } = await browser.visit("/app#/prompts", "phone");
    await signInAs(page, teacher);
    await page.getByRole("link", { name: "tutor", exact: true }).click();
    await page.locator("ins", { hasText: "brief" }).waitFor();
    await page.locator("del", { hasText: "patient, warm and exact" }).waitFor();
    await page.getByText("Content types").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    // A button that would be refused is not offered.
    await page.getByText("Only administrators of the platform move production.").waitFor();
    expect(await page.getByRole("button", { name: "Move the label" }).count()).toBe(0);
    await page.getByLabel("Label", { exact: true }).fill("staging");
    await page.getByRole("button", { name: "Move the label" }).waitFor();
  });

  it("moves production only with its name typed, after the impact is shown", async () => {
    const { page, complaints } = await browser.visit("/app#/prompts/tutor");
    await signInAs(page, "priya@northgate.example");
    await page.getByRole("button", { name: "Move the label" }).click();
    const dialog = page.getByRole("dialog", { name: /^Move production to version/ });
    await dialog.getByText("Content types").waitFor();
    const move = dialog.getByRole("button", { name: "Move the label" });
    expect(await move.isEnabled()).toBe(false);
    await dialog.getByLabel("Type tutor to confirm").pressSequentially("tuto");
    expect(await move.isEnabled()).toBe(false);
    await dialog.getByLabel("Type tutor to confirm").pressSequentially("r");
    expect(await violationsOf(page)).toEqual([]);
    await move.click();
    await dialog.waitFor({ state: "detached" });
    await page
      .getByRole("region", { name: /history/i })
      .getByText("production")
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });
});
