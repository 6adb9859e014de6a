import { describe, expect, it } from "vitest";
import { learnerVisitRequests } from "../../../proof/bench/learner-visit.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openDemonstration, openTopic, signIn } from "./demonstration.ts";
import { askedQuestion } from "./steps.ts";

describe.skipIf(!systemBrowser)("a learner's visit, as the bench measures it", () => {
  const { world, browser } = openDemonstration();

  it("sends the requests that the bench measures, as often", async () => {
    world.llm.script(
      { chunks: ["Welcome to signals.", askedQuestion(1)] },
      { chunks: ["To the right, indeed."] },
      { chunks: ["That is your own question."] },
    );
    const { page } = await browser.visit("/app");
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/api/v1/") || request.method() === "OPTIONS") return;
      asked.push(`${request.method()} ${pathname.slice("/api/v1".length).replaceAll(/\/\d+/g, "/{id}")}`);
    });
    await signIn(page, "noor@northgate.example");
    await page.getByRole("link", { name: "Continue: What is a signal?" }).waitFor();
    await openTopic(page, "Introduction to Signals", "What is a signal?");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "B To the right" }).click();
    await page.getByText("To the right, indeed.").waitFor();
    await page.getByLabel("Ask in your own words").fill("Why?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("That is your own question.").waitFor();
    await page.getByRole("button", { name: "Mark as done" }).click();
    await page.getByText("✓ Done").waitFor();
    await page.waitForLoadState("networkidle");
    // The first screen requests the demonstration's accounts.
    const ofVisit = asked.filter((one) => !one.includes("demonstration-accounts"));
    expect(ofVisit.sort()).toEqual(learnerVisitRequests.map(({ request }) => request).sort());
  });
});
