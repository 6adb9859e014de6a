import { describe, expect, it } from "vitest";
import { processRollouts } from "../../../lib/tutor/rollouts/work.ts";
import { rolloutsOf } from "../../api/tutor/prompts/rollouts.ts";
import { violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { noDeadline } from "../../support/no-deadline.ts";
import { insertAnswers } from "../../support/rollout.ts";
import { openWorld } from "../../support/world.ts";
import { follow, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a rollout of a version of the tutor's prompt, in a browser", () => {
  const world = openWorld();
  const { prepare, begun, productionNow } = rolloutsOf(world);
  const browser = openBrowser(world);

  it("is begun by another person than the author, with its limits, and promoted", async () => {
    const { approving, approver, version, base } = await prepare();
    const { page, complaints } = await visitAs(world, browser, approving, "prompts/tutor");
    await follow(page, "Rollouts");
    await page.getByRole("combobox", { name: "New version" }).selectOption(String(version));
    const share = page.getByLabel("Learners of a hundred who get it");
    await share.fill("");
    await share.pressSequentially("25");
    await page.getByLabel("Time to the first word (times)").fill("");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await page.getByRole("button", { name: "Start rollout" }).press("Enter");
    await page
      .getByRole("heading", { name: `25 of a hundred get version ${version}, the others version ${base}` })
      .waitFor();
    expect(await page.getByRole("row", { name: /^Length/ }).innerText()).not.toContain("no limit");
    expect(await page.getByRole("row", { name: /^Time to the first word/ }).innerText()).toContain(
      "no limit",
    );
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    page.on("dialog", (dialog) => dialog.accept());
    await press(page, "Promote");
    await page.getByText("promoted", { exact: true }).waitFor();
    expect(await productionNow(approver)).toBe(version);
    expect(complaints).toEqual([]);
  });

  it("is not started by the author, who sees the reason, nor by users who may not move production", async () => {
    const { approving, approver, writer } = await prepare();
    const { body } = await approver.post("/prompts/", { name: "tutor", prompt: "Mine for {{title}}." });
    const { page } = await visitAs(world, browser, approving, "prompts/tutor/rollouts");
    await page.getByRole("combobox", { name: "New version" }).selectOption(String(body.version));
    await page.getByText("You wrote this version. Another person must approve it.").waitFor();
    expect(await page.getByRole("button", { name: "Start rollout" }).count()).toBe(0);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    const other = await visitAs(world, browser, writer, "prompts/tutor/rollouts");
    await other.page.getByText("A platform administrator who did not write the version").waitFor();
    expect(await violationsAlsoNarrow(other.page)).toEqual([]);
  });

  it("stops automatically while its author watches, and explains it from the notification, with the numbers of each arm", async () => {
    const made = await begun({ stop: {} });
    const watching = await visitAs(
      world,
      browser,
      made.writer,
      `prompts/tutor/rollouts/${made.one.split("/").at(-1)}`,
    );
    await watching.page.clock.install();
    await watching.page.reload();
    await watching.page.getByText("running", { exact: true }).waitFor();
    const where = { rollout_id: made.rollout.id, content_item_id: made.item.id, user_id: made.writer.id };
    await insertAnswers(world, where, "base", { count: 150 });
    await insertAnswers(world, where, "candidate", { count: 150, characters: 1600 });
    await processRollouts(world.deps, noDeadline());
    expect(await watching.page.getByText("Stopped: Length.").count()).toBe(0);
    await watching.page.clock.runFor(5000);
    await watching.page.getByText("Stopped: Length.").waitFor();
    expect(watching.complaints).toEqual([]);
    const { page, complaints } = await visitAs(world, browser, made.writer, "notifications");
    await page.getByRole("link", { name: /^The rollout of/ }).click();
    await page.getByText("Stopped: Length.").waitFor();
    const length = await page.getByRole("row", { name: /^Length/ }).innerText();
    expect(length).toMatch(/1,\d{3} of 150/);
    expect(length).toContain("exceeded");
    expect(await page.getByRole("row", { name: /^Generated answers/ }).innerText()).toMatch(/150\s+150/);
    expect(await page.getByRole("button", { name: /^Promote$|^Stop$/ }).count()).toBe(0);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is stopped by hand, also by the author if permitted", async () => {
    const { approving, approver, one } = await begun();
    const address = `prompts/tutor/rollouts/${one.split("/").at(-1)}`;
    const { page } = await visitAs(world, browser, approving, address);
    page.on("dialog", (dialog) => dialog.accept());
    await press(page, "Stop");
    await page.getByText("Stopped: Stopped by a person.").waitFor();
    expect((await approver.get(one)).body).toMatchObject({ state: "STOPPED", stop_reason: "BY_HAND" });
    await follow(page, "← Rollouts");
    await page.getByText("Stopped by a person").first().waitFor();
  });
});
