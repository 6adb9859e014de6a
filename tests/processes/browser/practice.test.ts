import { describe, expect, it } from "vitest";
import { answerTo, openSession } from "../../api/tutor/chat/support.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { chooseInTutor, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const options = [
  { id: "A", text: "To the left" },
  { id: "B", text: "To the right" },
];
const fenced = (name: string, value: object) => `\n\n\`\`\`${name}\n${JSON.stringify(value)}\n\`\`\``;
const asks = (id: string, question: string, hasKey = true) => ({
  chunks: [
    `About ${id}.`,
    fenced("mcq", { questionId: id, question, options }),
    hasKey
      ? fenced("key", {
          answer: "A",
          misconceptions: [{ id: "B", text: "Sign taken for a direction" }],
          skill: "Shifts",
        })
      : "",
  ],
});

describe.skipIf(!systemBrowser)("learners' progress in a topic, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  async function topic() {
    const made = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, made.offering.id);
    world.llm.reset();
    return { ...made, learner, address: `courses/${made.course.id}/${made.offering.id}/${made.item.id}` };
  }

  it("is a line that says how sure it is, and a question that was missed becomes a card once", async () => {
    const { learner, address } = await topic();
    world.llm.script(
      asks("q1", "Which first?"),
      asks("q2", "Which then?"),
      asks("q3", "And which?"),
      asks("q4", "Which at last?"),
      { chunks: ["That was all."] },
    );
    const { page, complaints } = await visitAs(world, browser, learner, address);
    await press(page, "Start with the tutor");
    const choose = async (question: string, option: string) => {
      await page.getByRole("group", { name: question }).getByRole("button", { name: option }).click();
    };
    await choose("Which first?", "B To the right");
    const line = page.locator(".practice");
    await line.getByText("First-try score: 0 of 1 question. Answer a few more questions").waitFor();
    await choose("Which then?", "A To the left");
    await line.getByText("First-try score: 1 of 2 questions. Answer a few more questions").waitFor();
    await choose("And which?", "A To the left");
    await line.getByText(/First-try score: 2 of 3 questions\. Estimated mastery: [\d.]+%, from 3/).waitFor();
    await choose("Which at last?", "A To the left");
    await line.getByText("Mastered: three in a row without help.").waitFor();
    await page.getByText("That was all.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    const more = page.getByLabel("More actions");
    expect(await more.count()).toBe(4);
    await more.first().click();
    await page.getByRole("button", { name: "Save the question as flashcard" }).dblclick();
    await page.getByText("Saved to your flashcards").waitFor();
    const { body: cards } = await world.as(learner).get("/study/flashcards");
    expect(cards).toMatchObject([{ back: "- A) To the left" }]);
    // At the end of a later visit, it appears on request.
    await page.reload();
    await chooseInTutor(page, "Show my progress");
    await line.getByText("Mastered: three").waitFor();
    expect(complaints).toEqual([]);
  });

  it("is not counted for a question without a key", async () => {
    const { learner, address } = await topic();
    world.llm.script(asks("q1", "Which first?", false), { chunks: ["Well."] });
    const { page } = await visitAs(world, browser, learner, address);
    await press(page, "Start with the tutor");
    await page.getByRole("button", { name: "B To the right" }).click();
    await page.getByText("Well.", { exact: true }).waitFor();
    await page.getByLabel("More actions").click();
    await press(page, "Save the question as flashcard");
    await page.getByText("The right option of this question is not known.").waitFor();
    await chooseInTutor(page, "Show my progress");
    await page.getByText("No progress data yet.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
  });

  it("is in the map of the class: the hardest question with its errors, of five people or more", async () => {
    const { course, offering, item, university } = await topic();
    world.llm.script(asks("q1", "Which first?"), { chunks: ["Well."], times: 2 });
    const answer = async (option: string) => {
      const session = await openSession(world.as(await make.person()), item.id);
      await session.say("Start.");
      await session.say(answerTo("q1", option));
    };
    for (let person = 0; person < 4; person++) await answer("B");
    const assistant = await make.holder("ta", university.id);
    const address = `teaching/${course.id}/${offering.id}/topics/${item.id}`;
    const { page, complaints } = await visitAs(world, browser, assistant, address);
    const wrong = page.getByRole("region", { name: "Misconceptions of the class" });
    await wrong.locator("summary").click();
    await wrong.getByText("No question has answers from five people yet.").waitFor();
    for (const option of ["B", "A"]) await answer(option);
    await page.reload();
    await wrong.locator("summary").click();
    const row = wrong.getByRole("row", { name: /Which first\?/ });
    await row.waitFor();
    expect((await row.getByRole("cell").allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual([
      "6",
      expect.stringMatching(/^16\.7% [\d.]+% to [\d.]+% \(95 %\)$/),
      "B · To the right: 5 Misconception: Sign taken for a direction",
    ]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
