import { afterEach, describe, expect, it } from "vitest";
import { withScheduleDb } from "../../../lib/deps.ts";
import { processWarmings } from "../../../lib/tutor/warming/work.ts";
import { answerTo, openSession } from "../../api/tutor/chat/support.ts";
import { asking, prices } from "../../api/tutor/prompts/trials.ts";
import { violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { noDeadline } from "../../support/no-deadline.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("answers that are generated or reviewed before class, in a browser", () => {
  const world = openWorld({ LLM_PRICES: JSON.stringify(prices) });
  const make = makersOf(world);
  const browser = openBrowser(world);
  afterEach(() => world.llm.reset());

  /** A topic that three learners took before its text was edited, and its author. */
  async function taughtTopic() {
    const made = await make.topic();
    const author = await make.holder("instructor", made.university.id);
    world.llm.script({ chunks: asking("Welcome.") }, { chunks: ["Below A."] });
    for (let each = 0; each < 3; each += 1) {
      const session = await openSession(world.as(await make.person()), made.item.id);
      await session.say("Start.");
      await session.say(answerTo("q1", "A"));
    }
    world.llm.reset();
    return {
      ...made,
      author,
      map: `teaching/${made.course.id}/${made.offering.id}/topics/${made.item.id}`,
    };
  }

  it("warms an item from its map: a bar, the results and their cost, and marks in the tree", async () => {
    const { author, map, item } = await taughtTopic();
    await world.as(author).put(`/content/${item.id}`, { description: "In other words" });
    const { page, complaints } = await visitAs(world, browser, author, map);
    const card = page.getByRole("region", { name: "Pre-generate answers" });
    await card.locator("summary").press("Enter");
    await card.getByText("No pre-generated answers yet.").waitFor();
    const most = card.getByLabel("Maximum answers");
    await most.fill("");
    await most.pressSequentially("10");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await card.getByRole("button", { name: "Generate" }).press("Enter");
    await card.getByText("Starts soon.").waitFor();
    await card.getByText("Planned").waitFor();
    world.llm.script({ chunks: asking("Hello again.") }, { chunks: ["Right."] });
    await processWarmings(withScheduleDb(world.deps), noDeadline());
    await card.getByText("Done.").waitFor();
    expect(await card.getByRole("definition").allInnerTexts()).toContain("2");
    const start = page.getByRole("article", { name: "Start" }).filter({ hasText: "Hello again." });
    await start.getByText("pre-generated", { exact: true }).waitFor();
    await start.getByText("0 visits").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    // The next warming starts where this one ended.
    await press(page, "Generate");
    await card.getByText("Starts soon.").or(card.getByText("Done.")).first().waitFor();
    expect(complaints.filter((one) => !one.includes("404"))).toEqual([]);
  });

  it("holds answers for review by the author's choice, who reads each completely and approves it", async () => {
    const made = await make.topic();
    const author = await make.holder("instructor", made.university.id);
    const address = `authoring/${made.course.id}/items/${made.item.id}`;
    const { page, complaints } = await visitAs(world, browser, author, address);
    await page
      .getByRole("combobox", { name: "New answers of the tutor" })
      .selectOption({ label: "share after approval" });
    await press(page, "Save");
    await saved(page);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    world.llm.script({ chunks: asking("A greeting to be read.") });
    await (await openSession(world.as(await make.person()), made.item.id)).say("Start.");
    world.llm.reset();
    await page.goto(
      `${page.url().split("#")[0]}#/teaching/${made.course.id}/${made.offering.id}/topics/${made.item.id}`,
    );
    const waiting = page.getByRole("region", { name: "1 answer awaits approval" });
    await waiting.getByText("A greeting to be read.").waitFor();
    await waiting.getByText("Which of them?").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await waiting.getByRole("button", { name: "Approve: Start" }).press("Enter");
    await waiting.waitFor({ state: "detached" });
    expect((await world.as(author).get(`/chat/topics/${made.item.id}/tree`)).body).toMatchObject({
      waiting: 0,
      nodes: [{ is_waiting: false }],
    });
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows a teaching assistant pending answers and their status, and no button for either", async () => {
    const { university, map, item, author } = await taughtTopic();
    const client = world.as(author);
    await client.put(`/content/${item.id}`, { description: "In other words", tutor_mode: "REVIEWED" });
    await client.post(`/content/${item.id}/warm`, { most_nodes: 5 });
    await processWarmings(withScheduleDb(world.deps), noDeadline());
    const { page } = await visitAs(world, browser, await make.holder("ta", university.id), map);
    await page.getByRole("region", { name: /answers? awaits? approval/ }).waitFor();
    const card = page.getByRole("region", { name: "Pre-generate answers" });
    await card.locator("summary").click();
    await card.getByText("Done.").waitFor();
    expect(await page.getByRole("button", { name: /Approve|^Generate$/ }).count()).toBe(0);
  });
});
