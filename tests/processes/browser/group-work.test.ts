import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("work of a group, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  beforeAll(() => world.setNow(new Date()));

  it("is handed in by one for all, and graded for all or for one", async () => {
    const lab = await openLab(world, { group_submission: true });
    const mate = await make.person({ full_name: "A Mate" });
    await make.enrollment(mate.id, lab.offering.id);
    const groups = `/offerings/${lab.offering.id}/groups`;
    const team = (await world.as(lab.teacher).post(groups, { name: "Team Blue" })).body;
    for (const one of [lab.learner, mate])
      await world.as(lab.teacher).put(`${groups}/${team.id}/members/${one.id}`, {});
    const route = `${lab.course.id}/${lab.offering.id}`;

    const own = await visitAs(world, browser, lab.learner, `courses/${route}/${lab.lab.id}`);
    await own.page.getByText("It counts for everyone in Team Blue at the time of submission.").waitFor();
    await own.page.getByLabel("Text").fill("We measured it");
    expect(await violationsOf(own.page)).toEqual([]);
    await press(own.page, "Hand in");
    await own.page.getByText("Handed in.").waitFor();
    await own.page.getByText("for a group", { exact: true }).waitFor();
    const [work] = (await world.as(mate).get("/assessments/my-submissions")).body;

    const queue = await visitAs(world, browser, lab.assistant, `teaching/${route}/submissions`);
    await queue.page.getByText("and 1 other").waitFor();
    expect(await queue.page.getByRole("row").count()).toBe(2);
    await queue.page.getByLabel("Submitted").selectOption("late");
    await queue.page.getByText("and 1 other").waitFor({ state: "detached" });
    await queue.page.getByLabel("Submitted").selectOption("on time");
    await queue.page.getByLabel("Group").selectOption("Team Blue");
    await queue.page.getByText("and 1 other").waitFor();
    expect(await violationsOf(queue.page)).toEqual([]);
    await queue.page.getByRole("searchbox").pressSequentially("A Mate");
    await queue.page.keyboard.press("Enter");
    await queue.page.getByText("A Mate and 1 other").waitFor();
    for (const part of ["discussions", "announcements"]) {
      await queue.page.evaluate(`location.hash = "#/teaching/${route}/${part}"`);
      await queue.page.getByLabel("Group").selectOption("Team Blue");
      await queue.page
        .getByText(part === "discussions" ? "No discussion" : "No announcements match.")
        .waitFor();
      expect(await violationsOf(queue.page)).toEqual([]);
    }

    const grader = await visitAs(world, browser, lab.assistant, `teaching/${route}/submissions/${work.id}`);
    await grader.page.getByText(`The grade also applies to ${lab.learner.full_name}`).waitFor();
    await grader.page.getByLabel(/^Points, up to \d+$/).fill("15");
    await press(grader.page, "Save the grade");
    await grader.page.getByText("15 of 20 points").waitFor();
    await grader.page.getByLabel("Grade only this person").check();
    await grader.page.getByLabel(/^Points, up to \d+$/).fill("12");
    expect(await violationsOf(grader.page)).toEqual([]);
    await press(grader.page, "Save the grade");
    await grader.page.getByText("This person has an individual grade.").waitFor();
    await lab.release();
    const scores = await Promise.all(
      [lab.learner, mate].map(async (one) => (await world.as(one).get("/assessments/my-submissions")).body),
    );
    expect(scores).toMatchObject([[{ score_obtained: 15 }], [{ score_obtained: 12 }]]);
    await world.as(lab.teacher).put(`/content/${lab.lab.id}`, {
      data_json: { grading: { max_points: 20 }, group_submission: true, anonymous: true },
    });
    const author = await visitAs(
      world,
      browser,
      lab.teacher,
      `authoring/${lab.course.id}/items/${lab.lab.id}`,
    );
    await author.page.getByText("names are visible until you withdraw the release").waitFor();
    expect(await violationsOf(author.page)).toEqual([]);
    expect([...own.complaints, ...queue.complaints, ...author.complaints, ...grader.complaints]).toEqual([]);
  });
});
