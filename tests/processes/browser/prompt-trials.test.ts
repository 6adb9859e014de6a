import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { asking, prices, taught, trialsOf } from "../../api/tutor/prompts/trials.ts";
import { violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { chooseInTutor, follow, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a new version of the tutor's prompt, in a browser", () => {
  const judge = "judge-of-the-tests";
  const world = openWorld({
    LLM_PRICES: JSON.stringify({ ...prices, [judge]: { input: 1, output: 5 } }),
    JUDGE_MODEL: judge,
  });
  const { make, classWithTree, newVersion, work } = trialsOf(world);
  const browser = openBrowser(world);

  async function atNewVersion() {
    const topic = await classWithTree();
    world.llm.reset();
    const version = await newVersion(topic.author, "Be quite new with {{title}}.", { temperature: 0.2 });
    const writer = await make.holder("instructor", topic.course.university_id);
    const visit = await visitAs(world, browser, writer, "prompts/tutor");
    await follow(visit.page, `Version ${version}`);
    await visit.page.getByText("temperature: 0.2").waitFor();
    return { ...topic, ...visit, version, writer };
  }

  async function choosePlace(page: Page, course: string, module?: string) {
    await page.getByRole("combobox", { name: "Course", exact: true }).selectOption({ label: course });
    const modules = page.getByRole("combobox", { name: "Module", exact: true });
    await modules.waitFor();
    if (module) await modules.selectOption({ label: module });
  }

  it("answers in a conversation about an item, outside of the class's tree, which every screen says", async () => {
    const { page, complaints, version, course, offering, module, item } = await atNewVersion();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await follow(page, "Test");
    await choosePlace(page, course.title, module.title);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await follow(page, item.title);
    await page.getByText("Learners see none of it").waitFor();
    world.llm.script(
      { chunks: asking("A new greeting.") },
      { chunks: ["It is so."] },
      { chunks: ["Own words."] },
    );
    await press(page, "Start with the tutor");
    await page.getByText("A new greeting.").waitFor();
    const mark = page.getByText(`You are testing version ${version} of tutor.`);
    await mark.waitFor();
    await page.getByRole("button", { name: "A Option A" }).click();
    await page.getByText("It is so.").waitFor();
    await page.getByLabel("Ask in your own words").pressSequentially("Why is that?");
    await press(page, "Send");
    await page.getByText("Own words.").waitFor();
    expect(world.llm.requests.map(({ system }) => system)).toEqual(
      Array(3).fill(`Be quite new with "${item.title}".`),
    );
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    // The topic does not resume it. The list shows it with its mark.
    await page.goto(`${page.url().split("#")[0]}#/courses/${course.id}/${offering.id}/${item.id}`);
    await page.getByRole("button", { name: "Start with the tutor" }).waitFor();
    await chooseInTutor(page, "Your conversations");
    await page.getByText(`tutor v${version}`).waitFor();
    await page.getByRole("button", { name: /^Open: / }).click();
    await mark.waitFor();
    expect(complaints).toEqual([]);
  });

  it("is compared with the class's answers: an estimate, a bar, and a report with the pairs side by side", async () => {
    const { page, complaints, version, course, module, item } = await atNewVersion();
    await follow(page, "Trials");
    await page.getByText("No trials of this version yet.").waitFor();
    await choosePlace(page, course.title, module.title);
    await page.getByRole("checkbox", { name: item.title }).waitFor();
    const limit = page.getByLabel("Cost limit");
    await limit.fill("");
    await limit.pressSequentially("2.50");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await page.getByRole("button", { name: "Prepare trial" }).press("Enter");
    await page.getByText("Nothing was sent yet.").waitFor();
    expect(
      await page.getByRole("region", { name: `The next answer, against version ${taught}` }).innerText(),
    ).toMatch(/Calls\s+3/);
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    await press(page, "Start");
    await page.getByText("0 of 3 places were answered.").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    world.llm.script(
      { chunks: asking("It is new."), input_tokens: 100, output_tokens: 20 },
      { chunks: ["What comes next?"] },
      { chunks: ['```mcq\n{"questionId": "q", "options": [\n```'] },
    );
    expect(await work()).toEqual({ cases: 3 });
    await page.getByText("3 of 3 places were answered.").waitFor();
    await page.getByText("finished", { exact: true }).waitFor();
    const row = page.getByRole("row", { name: /Its question is readable/ });
    expect(await row.innerText()).toMatch(
      /50% \(9\.5% to 90\.5%\), 1 of 2\s+100% \(43\.9% to 100%\), 3 of 3/,
    );
    const pairs = page.getByRole("region", { name: "Side by side" });
    const start = pairs.getByRole("article", { name: "Start" });
    await start.getByText("Let us begin with the first loop of all.").waitFor();
    await start.getByText(item.title).waitFor();
    expect(await pairs.getByRole("article").count()).toBe(3);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await page
      .getByRole("combobox", { name: "Failed checks" })
      .selectOption({ label: "Its question is readable" });
    await expect.poll(() => pairs.getByRole("article").count()).toBe(1);
    await pairs.getByText("The question's block cannot be read").waitFor();
    await follow(page, "Trials");
    await page.getByRole("link", { name: /^The next answer, against v/ }).waitFor();
    expect(complaints).toEqual([]);
    expect(version).toBeGreaterThan(taught);
  });

  it("is judged by another model and voted on by staff, who change their vote and withdraw it", async () => {
    const { page, complaints, course } = await atNewVersion();
    await follow(page, "Trials");
    await choosePlace(page, course.title);
    await page.getByLabel("Maximum nodes").fill("1");
    await page.getByRole("checkbox", { name: "Use a judge" }).press("Space");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await press(page, "Prepare trial");
    await press(page, "Start");
    await page.getByText("0 of 1 place was answered.").waitFor();
    const says = (better: string) =>
      JSON.stringify({ better, why: `Since ${better} is short.`, criteria: {} });
    world.llm.script(
      { chunks: asking("It is new.") },
      { chunks: [says("A")], input_tokens: 200, output_tokens: 10 },
      { chunks: [says("B")], input_tokens: 200, output_tokens: 10 },
    );
    await work();
    await page.getByText(`Judged by ${judge}, for $0.0005`).waitFor();
    await page.getByText("The tested version wins 100% of the visits").waitFor();
    const won = page.getByRole("row", { name: /^By pairs/ });
    expect(await won.innerText()).toMatch(/1\s+0\s+0/);
    const pair = page.getByRole("article", { name: "Start" });
    await pair.getByText("Judge: The tested version is better").waitFor();
    await pair.getByText("The judge's reason").click();
    await pair.getByText("Since A is short.").waitFor();
    const votes = pair.getByRole("group", { name: "Which is better?" });
    await votes.getByRole("button", { name: "Neither is better (0)" }).press("Enter");
    await votes.getByRole("button", { name: "Neither is better (1)", pressed: true }).waitFor();
    await page.getByText("The judge agrees with 0% of 1 vote").waitFor();
    await votes.getByRole("button", { name: "The tested version is better (0)" }).press("Enter");
    await page.getByText("The judge agrees with 100% of 1 vote").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await votes.getByRole("button", { name: "The tested version is better (1)" }).press("Enter");
    await votes.getByRole("button", { name: "The tested version is better (0)", pressed: false }).waitFor();
    await page
      .getByRole("combobox", { name: "The judge's verdict" })
      .selectOption({ label: "Neither is better" });
    await page.getByText("No such pairs.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("is attacked for its secrets: by each way of an attack, with the leaks and the messages before", async () => {
    const { page, complaints, course, module } = await atNewVersion();
    await follow(page, "Trials");
    await page.getByRole("combobox", { name: "Kind" }).selectOption({ label: "Attacks" });
    expect(await page.getByLabel("Maximum nodes").count()).toBe(0);
    await choosePlace(page, course.title, module.title);
    await press(page, "Prepare trial");
    await press(page, "Start");
    await page.getByText(/^0 of \d\d places were answered/).waitFor();
    await work();
    await page.getByText("finished", { exact: true }).waitFor();
    await page.getByRole("row", { name: /^Direct request/ }).waitFor();
    const answers = page.getByRole("region", { name: "Answers" });
    await answers.getByText("Conversation so far").first().click();
    expect(await answers.getByRole("article").count()).toBe(25);
    await press(page, "Next page");
    await expect.poll(() => answers.getByRole("article").count()).toBeLessThan(25);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is written from the one before: changes are visible, and it teaches no one until it is tried and labelled", async () => {
    const { page, complaints, course, module, version, author } = await atNewVersion();
    await follow(page, "Write a new version");
    await page.getByText(`You start with the text of version ${version}.`).waitFor();
    await page.getByText("No changes.").waitFor();
    const text = page.getByRole("textbox", { name: "Text" });
    await text.fill("");
    await text.pressSequentially("Teach {{title}} by asking.");
    const change = page.getByRole("region", { name: `Changes from version ${version}` });
    await change.getByText("Teach {{title}} by asking.").waitFor();
    await change.getByText("Be quite new with {{title}}.").waitFor();
    const longest = page.getByLabel("Longest answer in tokens");
    await longest.pressSequentially("1000000");
    await page.getByLabel("What you changed, and why").pressSequentially("Asks first");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await press(page, "Save new version");
    await page.getByText("“Longest answer in tokens” should be a whole number from 1 to 4,096").waitFor();
    await longest.fill("");
    await longest.pressSequentially("800");
    await text.fill("Teach {{titel}} by asking.");
    await press(page, "Save new version");
    await page.getByText("The tutor does not know these variables: titel. It knows title,").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await page.getByRole("checkbox", { name: "Save with unknown variables" }).press("Space");
    await page.getByRole("button", { name: "Save new version" }).press("Enter");
    await page.getByText("max_tokens: 800").waitFor();
    const move = page.getByRole("region", { name: "Effect of moving production here" });
    await move.getByText(course.code).waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    const { body } = await author.get(`/prompts/tutor?version=${version + 1}`);
    expect(body).toMatchObject({ labels: ["latest"], commit_message: "Asks first" });

    // Tries the version and prepares a trial: talks with simulated learners.
    await follow(page, "Trials");
    await page.getByRole("combobox", { name: "Kind" }).selectOption({ label: "Simulated conversations" });
    await page.getByLabel("Conversations", { exact: true }).fill("1");
    await choosePlace(page, course.title, module.title);
    await page.getByText("If you select none, the trial uses the whole course.").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await press(page, "Prepare trial");
    await page.getByText("Immediately, four calls at a time").waitFor();
    await press(page, "Start");
    await page.getByText("0 of 1 place was answered.").waitFor();
    world.llm.improvise(() => ({ chunks: asking("By asking: what comes next?") }));
    await work();
    await page.getByText("finished", { exact: true }).waitFor();
    const talk = page.getByRole("region", { name: "Answers" }).getByRole("article");
    await talk.getByText("Conversation so far").click();
    await talk.getByText("By asking: what comes next?").first().waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    // The rejections of a limit and of a variable.
    expect(complaints).toEqual(Array(2).fill(expect.stringContaining("status of 400")));
  });

  it("is stopped in the middle, and shows what was not sent", async () => {
    const { page, course } = await atNewVersion();
    await follow(page, "Trials");
    await choosePlace(page, course.title);
    await press(page, "Prepare trial");
    await press(page, "Start");
    await press(page, "Stop");
    await page.getByText("3 not sent: the trial was stopped").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
  });
});
