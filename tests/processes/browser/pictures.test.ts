import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { paragraphs, readTopic } from "./reader.ts";

const elsewhere = "https://pictures.invalid";

/** Pictures in every syntax that a text may use. */
const picturesOf = (whose: string) => `Words of the ${whose}: ![A diagram](${elsewhere}/${whose}-markdown.png)
<img src="${elsewhere}/${whose}-element.png" srcset="${elsewhere}/${whose}-set.png 2x" alt="A drawing">
<picture><source srcset="${elsewhere}/${whose}-source.png"><img src="x" alt="Without an address"></picture>
<math><mtext><img src="${elsewhere}/${whose}-formula.png"></mtext></math>

[![A sign](${elsewhere}/${whose}-linked.png)](https://example.edu/${whose}) [![ ](${elsewhere}/${whose}-wordless.png)](https://example.edu)

<table background="${elsewhere}/${whose}-table.png"><tr><td background="${elsewhere}/${whose}-cell.png">x</td></tr></table>

The end.`;

const addressesOf = (whose: string) =>
  ["markdown", "element", "formula", "linked", "wordless"].map((kind) => `${elsewhere}/${whose}-${kind}.png`);

const made = (page: Page, whose: string) =>
  page.locator(".prose:not(.plain)", { hasText: `Words of the ${whose}` }).filter({ hasText: "The end." });

const linksIn = (page: Page, whose: string) =>
  made(page, whose)
    .locator("a")
    .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute("href")]));

/** A picture is replaced by its alternative text or its address. A link around it keeps its target. */
const linksOf = (whose: string) => {
  const [markdown, element, formula, , wordless] = addressesOf(whose);
  return [
    ["A diagram", markdown],
    ["A drawing", element],
    [formula, formula],
    ["A sign", `https://example.edu/${whose}`],
    [wordless, "https://example.edu"],
  ];
};

describe.skipIf(!systemBrowser)("a picture from elsewhere", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it("is shown in staff's content, and is a link in the tutor's answers and in learners' posts", async () => {
    world.llm.reset();
    world.llm.script({ chunks: [picturesOf("tutor")] });
    const { page, complaints } = await readTopic(world, browser, {
      data: paragraphs([picturesOf("staff")]),
    });
    const loaded = () => complaints.filter((complaint) => complaint.startsWith(elsewhere)).sort();
    await made(page, "staff").waitFor();
    await expect.poll(loaded).toEqual(addressesOf("staff").sort());
    expect(await linksIn(page, "staff")).toEqual([
      ["", "https://example.edu/staff"],
      ["", "https://example.edu"],
    ]);

    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await made(page, "tutor").waitFor();
    await page.getByRole("toolbar", { name: "Actions for this answer" }).waitFor();
    expect(await linksIn(page, "tutor")).toEqual(linksOf("tutor"));
    await made(page, "tutor").getByText("Without an address").waitFor();

    const [, course, offering] = /courses\/(\d+)\/(\d+)/.exec(page.url()) ?? [];
    const make = makersOf(world);
    const writer = await make.person();
    await make.enrollment(writer.id, Number(offering));
    const threads = `/community/offerings/${offering}/threads`;
    const { body } = await world.as(writer).post(threads, { title: "Pictures", body: picturesOf("learner") });
    await page.goto(`${browser.url()}/app#/courses/${course}/${offering}/discussions/${body.id}`);
    await made(page, "learner").waitFor();
    expect(await linksIn(page, "learner")).toEqual(linksOf("learner"));

    await page.evaluate("document.fonts.ready");
    expect(await page.locator(".prose img").count()).toBe(0);
    expect(loaded()).toEqual(addressesOf("staff").sort());
  });
});
