import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sendScores } from "../../../lib/integrations/lti/send-scores.ts";
import { syncDueRosters } from "../../../lib/integrations/lti/sync-rosters.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { bindCourse, startLms } from "../../support/lti-course.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("grades and rosters of an LMS, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  let lms: Awaited<ReturnType<typeof startLms>>;
  beforeAll(async () => {
    lms = await startLms(world);
  });
  afterAll(() => lms.close());
  beforeEach(() => world.setNow(new Date()));

  it("are in the gradebook, with the reason of a rejected grade, until it is sent again", async () => {
    const opened = await openLab(world);
    const { link, know } = await bindCourse(world, lms, opened);
    await link("lab", { content_item_id: opened.lab.id });
    await know("person-1", opened.learner.id);
    const { id } = (await opened.submit({ body: "All of it" })).body;
    await opened.grade(id, 15);
    await opened.release();
    lms.services.state.scoreFault = () => 404;
    await sendScores(world.deps);
    lms.services.state.scoreFault = () => undefined;
    const gradebook = `teaching/${opened.course.id}/${opened.offering.id}/gradebook`;
    const { page } = await visitAs(world, browser, opened.assistant, gradebook);
    await page.getByText("LMS: rejected (it answered 404)").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await press(page, "Send all to the LMS again");
    await page.getByText("Sending.").waitFor();
    await sendScores(world.deps);
    await page.reload();
    await page.getByText("In the LMS").first().waitFor();
    expect(lms.services.state.scores).toMatchObject([{ userId: "person-1", scoreGiven: 15 }]);
  });

  it("include a roster that staff preview, import, and confirm if it would drop many", async () => {
    const opened = await openLab(world);
    await bindCourse(world, lms, opened);
    const roles = ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"];
    const members = ["x", "y", "z"].map((user_id) => ({ user_id, roles }));
    lms.services.state.members = members;
    const place = `teaching/${opened.course.id}/${opened.offering.id}`;
    const { page } = await visitAs(world, browser, opened.assistant, place);
    const again = async () => {
      await syncDueRosters(world.deps);
      await press(page, "Refresh");
    };
    await press(page, "Preview changes: Computing");
    await page.getByText("Waiting to be read.").waitFor();
    await again();
    await page.getByText("3 people: 3 enrolled").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await press(page, "Read now: Computing");
    await page.getByText("Waiting to be read.").waitFor();
    await again();
    await page.getByText("It is read again every night.").waitFor();
    lms.services.state.members = members.slice(0, 1);
    await press(page, "Read now: Computing");
    await page.getByText("Waiting to be read.").waitFor();
    await again();
    await page.getByText("It would drop more than a third").waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await press(page, "Drop these 2 people");
    await page.getByText("Waiting to be read.").waitFor();
    await again();
    await page.getByText("1 people: 0 enrolled, 0 made staff, 2 dropped").waitFor();
  });
});
