import { describe, expect, it } from "vitest";
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

  it("have their list, where they are put into a deck, changed and thrown away", async () => {
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
    await follow(page, "Kept cards");
    await headed(page, "Kept cards");
    await page.getByText(kept.front).first().waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    const moved = page.getByRole("listitem").filter({ hasText: other.front });
    await moved.getByLabel("To the deck").selectOption("Waves");
    await moved.getByRole("button", { name: "Move" }).click();
    await moved.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement === document.body")).toBe(false);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByText("Edit", { exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("You have kept no card yet.").waitFor();
    await follow(page, "Search");
    await headed(page, "Search what is mine");
    await page.getByLabel("Words to look for").pressSequentially("SPRING pull");
    await page.keyboard.press("Enter");
    await page.locator("mark").filter({ hasText: "spring" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await follow(page, item.title);
    await headed(page, "Waves");
    await page.getByText(other.front).first().waitFor();
    expect(complaints).toEqual([]);
  });
});
