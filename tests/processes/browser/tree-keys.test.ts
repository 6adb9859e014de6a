import { describe, expect, it } from "vitest";
import { answerTo, openSession } from "../../api/tutor/chat/support.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const asked = {
  questionId: "q1",
  question: "Which way does it move?",
  options: [
    { id: "A", text: "Left" },
    { id: "B", text: "Right" },
  ],
};
const key = {
  answer: "A",
  misconceptions: [{ id: "B", text: "Sign taken for a direction" }],
  skill: "Shifts",
};
const fenced = (name: string, value: object) => `\n\`\`\`${name}\n${JSON.stringify(value)}\n\`\`\`\n`;

describe.skipIf(!systemBrowser)("the keys of a class's tree, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  async function tree() {
    const made = await make.topic();
    world.llm.script(
      { chunks: [`Think.${fenced("mcq", asked)}${fenced("key", key)}`] },
      { chunks: ["Right."] },
    );
    const session = await openSession(world.as(await make.person()), made.item.id);
    await session.say("Start.");
    await session.say(answerTo("q1", "A"));
    const instructor = await make.holder("instructor", made.university.id);
    const address = `teaching/${made.course.id}/${made.offering.id}/topics/${made.item.id}`;
    const author = world.as(instructor);
    const at = `/chat/topics/${made.item.id}/tree`;
    const nodes = async () => (await author.get(at)).body.nodes;
    return { ...made, instructor, author, address, at, nodes };
  }

  it("are shown and corrected, with their subtree, and a correction is undone", async () => {
    const { instructor, address, nodes } = await tree();
    const { page, complaints } = await visitAs(world, browser, instructor, address);
    const start = page.getByRole("article", { name: "Start" });
    await start.getByText("Misconception: Sign taken for a direction").waitFor();
    expect(await start.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("A · Left right"),
      expect.not.stringContaining("B · Right right"),
    ]);
    await press(page, "Correct the key");
    const right = start.getByLabel("Right option");
    await right.waitFor();
    expect(await start.getByLabel("Misconception behind A").count()).toBe(0);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await right.selectOption("B");
    await start.getByLabel("Misconception behind A").pressSequentially("Against the arrow");
    await start.getByRole("button", { name: "Save" }).click();
    await start.getByText("Misconception: Against the arrow").waitFor();
    await page.getByText("key corrected", { exact: true }).waitFor();
    expect(await nodes()).toMatchObject([
      { key: { answer: "B", misconceptions: [{ id: "A", text: "Against the arrow" }], skill: "Shifts" } },
    ]);
    await press(page, "Undo");
    await start.getByText("Sign taken for a direction").waitFor();
    expect(await nodes()).toMatchObject([{ key }, {}]);
    expect(complaints).toEqual([]);
  });

  it("are corrected together with the text, the question and its options, typed key by key", async () => {
    const { instructor, address, nodes } = await tree();
    const { page, complaints } = await visitAs(world, browser, instructor, address);
    const start = page.getByRole("article", { name: "Start" });
    await start.getByRole("button", { name: "Edit" }).click();
    const type = async (label: string, words: string) => {
      const field = start.getByRole("textbox", { name: label });
      await field.clear();
      await field.pressSequentially(words);
    };
    await type("Answer for later learners", "Think twice.");
    await type("Question text", "Which way does the wave move?");
    await type("Option B", "To the right");
    await type("Misconception behind B", "A minus moves left");
    await start.getByLabel("Answers that follow").selectOption("true");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await start.getByRole("button", { name: "Save" }).click();
    await start.getByText("Misconception: A minus moves left").waitFor();
    expect(await nodes()).toMatchObject([
      {
        answer: expect.stringMatching(/^Think twice\./),
        question: {
          ...asked,
          question: "Which way does the wave move?",
          options: [asked.options[0], { id: "B", text: "To the right" }],
        },
        key: { answer: "A", misconceptions: [{ id: "B", text: "A minus moves left" }], skill: "Shifts" },
      },
      {},
    ]);
    expect(complaints).toEqual([]);
  });

  it("do not overwrite another author's correction without confirmation; an assistant reads them", async () => {
    const { instructor, author, address, at, nodes, university } = await tree();
    const { page } = await visitAs(world, browser, instructor, address);
    await press(page, "Correct the key");
    const start = page.getByRole("article", { name: "Start" });
    await start.getByLabel("Misconception behind B").fill("Mine");
    const [root] = await nodes();
    await author.put(`${at}/nodes/${root.id}/key`, { answer: "A", skill: "Theirs" });
    await start.getByRole("button", { name: "Save" }).click();
    await page.getByText("Someone else changed this in the meantime.").waitFor();
    expect(await nodes()).toMatchObject([{ key: { skill: "Theirs" } }, {}]);
    await press(page, "Save anyway");
    await start.getByText("Misconception: Mine").waitFor();

    const assistant = await make.holder("ta", university.id);
    const { page: other } = await visitAs(world, browser, assistant, address);
    await other.getByText("Misconception: Mine").waitFor();
    expect(await other.getByRole("button", { name: "Correct the key" }).count()).toBe(0);
  });
});
