import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { follow, headed, press } from "./steps.ts";

describe.skipIf(!systemBrowser)("groups of an offering, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("are created by a teacher, joined by a learner, and have separate dates", async () => {
    const staff = await browser.visit("/app#/teaching/1/1/groups");
    await signInAs(staff.page, "helena@northgate.example");
    await headed(staff.page, "Groups");
    await staff.page.getByText("No groups yet.").waitFor();
    await staff.page.getByLabel("Name of the group").fill("Team A");
    await staff.page.getByRole("textbox", { name: "Seats" }).fill("1");
    await staff.page.getByLabel("Learners can join and leave").check();
    await press(staff.page, "Create group");
    await headed(staff.page, "Team A");
    expect(await violationsOnEachSize(staff.page)).toEqual([]);

    const { page, complaints } = await browser.visit("/app#/courses/1/1");
    await signInAs(page, "mina@northgate.example");
    await follow(page, "Groups");
    await headed(page, "Groups");
    await press(page, "Join Team A");
    await page.getByText("1 of 1 seats taken").waitFor();
    await page.getByText("your group", { exact: true }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    await staff.page.reload();
    const member = staff.page.getByRole("listitem").filter({ hasText: "Mina Park" });
    await member.waitFor();
    await staff.page.getByLabel("Person").selectOption({ label: "Noor Haddad" });
    await press(staff.page, "Add to the group");
    await staff.page.getByText("Group is full").waitFor();
    await staff.page.getByText("Dates of the group").click();
    const first = staff.page.locator("fieldset").first();
    await first.getByRole("combobox", { name: "Due at" }).selectOption("own date");
    await first.getByLabel("Due at: day and time").fill("2027-03-01T18:00");
    expect(await violationsOnEachSize(staff.page)).toEqual([]);
    await staff.page
      .getByRole("region", { name: "Dates of the group" })
      .getByRole("button", { name: "Save" })
      .click();
    await first.getByText("due Mar 1, 2027").waitFor();
    await member.getByRole("button").click();
    await staff.page.getByText("No members yet.").waitFor();
    // Rejected people are still selected, so the page asks for confirmation.
    staff.page.on("dialog", (dialog) => dialog.accept());
    await follow(staff.page, "Go to the class");
    await staff.page.getByRole("combobox", { name: "Group" }).selectOption("Team A");
    await staff.page.getByText("No people match.").waitFor();
    await follow(staff.page, "Gradebook");
    await headed(staff.page, "Gradebook");
    await staff.page.getByRole("combobox", { name: "Group" }).selectOption("Team A");
    await staff.page.getByText("No people match.").waitFor();
    expect(complaints).toEqual([]);
    expect(staff.complaints).toEqual([expect.stringContaining("400")]);
  });
});
