import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processImports } from "../../../lib/integrations/imports/work.ts";
import { syncDueOneRosterSources } from "../../../lib/integrations/one-roster/sync-sources.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import {
  type OneRosterProvider,
  schoolOf,
  startOneRosterProvider,
} from "../../support/one-roster-stand-in.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a OneRoster service, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  let provider: OneRosterProvider;
  beforeAll(async () => {
    provider = await startOneRosterProvider();
  });
  afterAll(() => provider.close());

  it("is added, read, shown with its import, and removed", async () => {
    const university = await make.university();
    const administrator = await make.holder("university_admin", university.id);
    provider.state.collections = schoolOf(3, `browser-${university.id}`);
    const route = `administration/${university.id}/imports`;
    const { page, complaints } = await visitAs(world, browser, administrator, route);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByText("OneRoster services", { exact: true }).click();
    await page.getByText("No services yet.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Student records");
    await page.getByLabel("Address of the rostering service").fill(provider.service_url);
    await page.getByLabel("Address for access tokens").fill(provider.token_url);
    await page.getByLabel("Client ID").fill("lms");
    await page.getByLabel("Client secret").fill("a secret");
    await press(page, "Add");
    await page.getByText("Sync requested").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await syncDueOneRosterSources(world.deps);
    await processImports(world.deps, new AbortController().signal);
    await page.getByText(/^Read .*\d/).waitFor();
    const card = page.getByRole("listitem").filter({ hasText: "Student records" });
    await card.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("13 rows: ").first().waitFor();

    provider.state.fault = "denied";
    await press(page, "Sync now");
    await page.getByText("Sync requested").waitFor();
    await syncDueOneRosterSources(world.deps);
    await page.getByText(/^Not read .*: it answered 403$/).waitFor();
    await press(page, "Remove");
    await page.getByText("No services yet.").waitFor();
    expect(complaints).toEqual([]);
  });
});
