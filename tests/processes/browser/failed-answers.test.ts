import { describe, expect, it } from "vitest";
import { openSession } from "../../api/tutor/chat/support.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const question = (id: string) =>
  JSON.stringify({
    ...{ questionId: id, question: "Which way?" },
    options: [
      { id: "A", text: "Left" },
      { id: "B", text: "Right" },
    ],
  });
const because = "A plus below the root moves the graph to the left";
const good = `Hello again.\n\`\`\`mcq\n${question("q1")}\n\`\`\`\n\`\`\`key\n${JSON.stringify({ because, answer: "A" })}\n\`\`\``;

describe.skipIf(!systemBrowser)("answers that fail a check, in a browser", () => {
  const world = openWorld({}, { requiresQuestions: true });
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("are in the inbox with the check and both texts, and marked for the learner", async () => {
    const made = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, made.offering.id);
    world.llm.script(
      { chunks: ["Nothing asked."] },
      { chunks: ["I can't help with that."] },
      { chunks: ["Hello."] },
      { chunks: [good] },
    );
    const course = `courses/${made.course.id}/${made.offering.id}/${made.item.id}`;
    const { page, complaints } = await visitAs(world, browser, learner, course);
    await press(page, "Start with the tutor");
    await page.getByText("Not shared with your class, because it failed a check").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await (await openSession(world.as(await make.person()), made.item.id)).say("Start.");

    const instructor = await make.holder("instructor", made.university.id);
    const teaching = `teaching/${made.course.id}/${made.offering.id}`;
    const staff = await visitAs(world, browser, instructor, `${teaching}/tutor`);
    const failed = staff.page.getByRole("region", { name: "Answers that failed a check" });
    await failed.getByText("Corrected", { exact: true }).waitFor();
    await failed.getByText("Not shared", { exact: true }).waitFor();
    await failed.locator("summary", { hasText: "Not shared" }).click();
    await failed.getByText("Nothing asked.").waitFor();
    await failed.getByText("I can't help with that.").waitFor();
    await failed.getByText("The answer is a refusal").waitFor();
    expect(await violationsOnEachSize(staff.page)).toEqual([]);
    await failed.getByRole("link", { name: "Edit the answer" }).click();
    await staff.page.getByText(`Why it is right: ${because}`).waitFor();
    expect(staff.complaints).toEqual([]);
  });
});
