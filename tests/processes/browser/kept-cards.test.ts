import { describe, expect, it } from "vitest";
import { chatMessages, chatSessions } from "../../../schema/db/tutor/chat.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { follow, headed } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("kept flashcards, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("have a list, where they are put into a deck, changed and deleted", async () => {
    const { offering, item } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const kept = { front: "Which way does it move?", back: "To the right", content_item_id: item.id };
    const other = { ...kept, front: "What does a spring pull with?" };
    for (const card of [other, kept])
      expect((await world.as(learner).post("/study/flashcards", card)).status).toBe(201);
    await world.as(learner).post("/study/decks", { title: "Waves" });
    const { page, complaints } = await visitAs(world, browser, learner, "flashcards");
    await headed(page, "Flashcards");
    await follow(page, "Saved cards");
    await headed(page, "Saved cards");
    await page.getByText(kept.front).first().waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    const moved = page.getByRole("listitem").filter({ hasText: other.front });
    await moved.getByLabel("To deck").selectOption("Waves");
    await moved.getByRole("button", { name: "Move" }).click();
    await moved.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement === document.body")).toBe(false);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByText("Edit", { exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No saved cards yet.").waitFor();
    await follow(page, "Search");
    await headed(page, "Search my content");
    await page.getByLabel("Search terms").pressSequentially("SPRING pull");
    await page.keyboard.press("Enter");
    await page.locator("mark").filter({ hasText: "spring" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await follow(page, item.title);
    await headed(page, "Waves");
    await page.getByText(other.front).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("are found next to messages, and a result opens at the message, of any age", async () => {
    const { offering, item } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const [session] = await world.deps.db
      .insert(chatSessions)
      .values({
        ...{
          user_id: learner.id,
          content_item_id: item.id,
          content_context: {},
          item_fingerprint: "f",
          surroundings_fingerprint: "f",
        },
        created_at: world.deps.now().toISOString(),
      })
      .returning();
    const saying = (n: number) => (n === 20 ? "Why does a pendulum slow down?" : `Message ${n}`);
    await world.deps.db.insert(chatMessages).values(
      Array.from({ length: 250 }, (_, n) => ({
        session_id: session?.id ?? 0,
        role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: saying(n),
      })),
    );
    const { page, complaints } = await visitAs(world, browser, learner, "search");
    await headed(page, "Search my content");
    await page.getByLabel("Search terms").pressSequentially("pendulum");
    await page.keyboard.press("Enter");
    await page.locator("mark").filter({ hasText: "pendulum" }).waitFor();
    await follow(page, item.title);
    const found = page.getByRole("group", { name: "Found message" });
    await expect.poll(() => found.textContent()).toContain("pendulum");
    const isFocusedInSight = `(() => {
      const said = document.querySelector(".messages [role=group]");
      const [own, list] = [said, said.closest(".messages")].map((one) => one.getBoundingClientRect());
      const isInSight = own.top >= Math.max(0, list.top - 1) && own.bottom <= Math.min(innerHeight, list.bottom + 1);
      return said === document.activeElement && isInSight;
    })()`;
    await expect.poll(() => page.evaluate<boolean>(isFocusedInSight)).toBe(true);
    expect(await page.getByText("Message 249", { exact: true }).count()).toBe(1);
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
