import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../lib/integrations/lti/keys.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { ltiClaim } from "../../support/lti-tool.ts";
import { startLtiTool } from "../../support/lti-tool-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

/** The tool is `localhost` and the service `127.0.0.1`: different sites. */
describe.skipIf(!systemBrowser)("an external tool", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world, { args: ["--disable-features=LocalNetworkAccessChecks"] });
  let tool: Awaited<ReturnType<typeof startLtiTool>>;
  let topic: Awaited<ReturnType<typeof make.topic>>;
  let admin: Awaited<ReturnType<typeof make.holder>>;

  beforeAll(async () => {
    tool = await startLtiTool();
    await renewToolKeys(world.deps);
    tool.state.now = world.deps.now();
    topic = await make.topic();
    admin = await make.holder("university_admin", topic.university.id);
  });
  afterAll(() => tool.close());

  const register = async (changes: object = {}) => {
    const path = `/universities/${topic.university.id}/lti-tools`;
    return (await world.as(admin).post(path, { ...tool.registration(), ...changes })).body;
  };

  const registerByHand = async (page: Page) => {
    const { name, login_url, launch_url, jwks_url } = tool.registration();
    const card = page.getByRole("region", { name: "Register a tool by hand" });
    for (const [label, value] of [
      ["Name", name],
      ["Login initiation address", login_url],
      ["Launch address", launch_url],
      ["Public key set address", jwks_url],
      ["Redirect addresses", launch_url],
    ] as const)
      await card.getByLabel(label, { exact: true }).fill(value);
    await card.getByRole("button", { name: "Register" }).click();
  };

  it("is registered by an administrator", async () => {
    const { page } = await visitAs(world, browser, admin, `administration/${topic.university.id}/lti-tools`);
    await registerByHand(page);
    await page.getByText(/Client id [0-9a-f-]{36} · deployment \d+/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it("is registered for all universities by an administrator of the platform", async () => {
    const owner = await make.holder("platform_admin", topic.university.id);
    const { page } = await visitAs(world, browser, owner, "administration");
    await page.getByRole("link", { name: "External tools" }).click();
    await registerByHand(page);
    await page.getByText(/Client id [0-9a-f-]{36} · deployment university-/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it("registers itself in a frame, which closes, for the university and for the platform", async () => {
    const owner = await make.holder("platform_admin", topic.university.id);
    for (const [person, screen] of [
      [admin, `administration/${topic.university.id}/lti-tools`],
      [owner, "administration/lti-tools"],
    ] as const) {
      const { page } = await visitAs(world, browser, person, screen);
      const card = page.getByRole("region", { name: "Have a tool register itself" });
      await card.getByLabel("Registration address").fill(tool.registrationUrl());
      await press(page, "Open the tool's registration");
      const frame = page.frameLocator("iframe[title='Have a tool register itself']");
      await frame.getByRole("heading", { name: "Registration" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await frame.getByRole("button", { name: "Register" }).click();
      await page.getByText("Wave registrar", { exact: true }).waitFor();
      expect(await page.locator("iframe").count()).toBe(0);
    }
  });

  it("opens in a learner's frame, and its score is the grade", async () => {
    const { id } = await register();
    const data_json = { lti_tool_id: id, max_points: 20 };
    const { course, offering, module, university } = topic;
    const item = await make.contentItem(module, university.id, {
      type: "external_tool",
      title: "Waves",
      data_json,
    });
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const { page } = await visitAs(world, browser, learner, `courses/${course.id}/${offering.id}/${item.id}`);
    await press(page, "Open");
    const frame = page.frameLocator("iframe[title=Waves]");
    await frame.getByRole("heading", { name: "The tool" }).waitFor();
    await frame.getByText("Score 204").waitFor();
    await press(page, "Close");
    const { rows } = await world.deps.db.execute(sql`
      select score_obtained::float8 as score, status from lab_submissions where content_item_id = ${item.id}`);
    expect(rows).toEqual([{ score: 18, status: "graded" }]);
  });

  it("shows a learner's work to a teacher in the gradebook", async () => {
    const { id } = await register();
    const { course, offering, module, university } = topic;
    const data_json = { lti_tool_id: id, max_points: 20, submission_review: {} };
    await make.contentItem(module, university.id, { type: "external_tool", title: "Reviewed", data_json });
    const learner = await make.person({ full_name: "Rosa Learner" });
    await make.enrollment(learner.id, offering.id);
    const taken = await visitAs(world, browser, learner, `courses/${course.id}/${offering.id}`);
    await taken.page.getByRole("link", { name: "Reviewed" }).click();
    await press(taken.page, "Open");
    await taken.page.frameLocator("iframe[title=Reviewed]").getByText("Score 204").waitFor();

    const teacher = await make.holder("instructor", university.id);
    const gradebook = `teaching/${course.id}/${offering.id}/gradebook`;
    const { page } = await visitAs(world, browser, teacher, gradebook);
    await page
      .getByRole("row", { name: /Rosa Learner/ })
      .getByRole("button", { name: /Reviewed/ })
      .click();
    await press(page, "Open the work at the tool");
    await page.frameLocator("iframe[title=Reviewed]").getByRole("heading", { name: "The tool" }).waitFor();
    const [first, last] = [tool.state.launches.at(-2), tool.state.launches.at(-1)];
    expect(last).toMatchObject({
      [ltiClaim("message_type")]: "LtiSubmissionReviewRequest",
      [ltiClaim("for_user")]: { user_id: first?.sub },
    });
    expect(await violationsOf(page)).toEqual([]);
  });

  it("opens from the navigation of a course", async () => {
    await register({ name: "Office hours", in_navigation: true });
    const { course, offering } = topic;
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const { page } = await visitAs(world, browser, learner, `courses/${course.id}/${offering.id}`);
    await page.getByText("External tools", { exact: true }).click();
    const navigation = page.getByRole("navigation", { name: "External tools" });
    await navigation.getByRole("link", { name: "Office hours" }).click();
    await page.getByRole("heading", { name: "Office hours" }).waitFor();
    const frame = page.frameLocator("iframe[title='Office hours']");
    await frame.getByRole("heading", { name: "The tool" }).waitFor();
    expect(tool.state.launches.at(-1)).toMatchObject({
      [ltiClaim("resource_link")]: { id: `${offering.id}-0`, title: "Office hours" },
    });
    expect(await violationsOf(page)).toEqual([]);
  });

  it("offers content that a teacher chooses in the editor", async () => {
    const { id } = await register();
    const { course, module, university } = topic;
    const item = await make.contentItem(module, university.id, {
      ...{ type: "external_tool", title: "Draft", data_json: { lti_tool_id: id } },
    });
    const teacher = await make.holder("instructor", university.id);
    const { page } = await visitAs(world, browser, teacher, `authoring/${course.id}/items/${item.id}`);
    await press(page, "Choose content at the tool");
    await page.frameLocator("iframe").getByRole("button", { name: "Take these" }).click();
    await page.getByRole("heading", { name: "Wave quiz" }).waitFor();
    const stored = await world.deps.db.execute(sql`
      select title, data_json from content_items where module_id = ${module.id} and title like 'Wave %' order by title`);
    expect(stored.rows).toEqual([
      { title: "Wave quiz", data_json: { lti_tool_id: id, custom: { quiz: "7" }, max_points: 15 } },
      { title: "Wave reading", data_json: { lti_tool_id: id } },
    ]);
  });
});
