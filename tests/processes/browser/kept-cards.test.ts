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

  it("have their list, where they are changed and thrown away", async () => {
    const { offering, item } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const kept = { front: "Which way does it move?", back: "To the right", content_item_id: item.id };
    expect((await world.as(learner).post("/study/flashcards", kept)).status).toBe(201);
    const { page, complaints } = await visitAs(world, browser, learner, "flashcards");
    await headed(page, "Flashcards");
    await follow(page, "Kept cards");
    await headed(page, "Kept cards");
    await page.getByText(kept.front).first().waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByText("Edit", { exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("You have kept no card yet.").waitFor();
    expect(complaints).toEqual([]);
  });
});
