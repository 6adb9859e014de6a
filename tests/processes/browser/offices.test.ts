import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { follow, headed, press } from "./steps.ts";

describe.skipIf(!systemBrowser)("offices of a university, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("are granted by an administrator to a learner, who gives a classmate more time", async () => {
    const admin = await browser.visit("/app#/administration/1/offices");
    await signInAs(admin.page, "edwin@northgate.example");
    await headed(admin.page, "Offices");
    await admin.page.getByLabel("E-mail").fill("nobody@northgate.example");
    await press(admin.page, "Grant");
    await admin.page.getByText("Member not found").waitFor();
    await admin.page.getByLabel("E-mail").fill("mina@northgate.example");
    await press(admin.page, "Grant");
    await admin.page.getByRole("listitem").filter({ hasText: "Mina Park" }).waitFor();
    expect(await violationsOnEachSize(admin.page)).toEqual([]);

    const { page, complaints } = await browser.visit("/app#/account");
    await signInAs(page, "mina@northgate.example");
    await follow(page, "Grant accommodations");
    await headed(page, "More time");
    await page.getByText("No accommodations yet.").waitFor();
    await page.getByRole("textbox", { name: "E-mail" }).fill("noor@northgate.example");
    await page.getByRole("textbox", { name: "Times as long" }).fill("1.5");
    await page.getByRole("textbox", { name: "Days later" }).fill("7");
    await press(page, "Grant");
    const line = page.getByRole("listitem").filter({ hasText: "noor@northgate.example" });
    await line.getByText("1.5 times as long · 7 days later").waitFor();
    const search = page.getByRole("searchbox", { name: "Name, e-mail address or number" });
    await search.pressSequentially("ed");
    await page.getByText("No accommodations match.").waitFor();
    await search.fill("");
    await search.pressSequentially("noor");
    await search.press("Enter");
    await line.waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    page.on("dialog", (dialog) => dialog.accept());
    await line.getByRole("button").click();
    await page.getByText("No accommodations match.").waitFor();
    await search.fill("");
    await page.getByText("No accommodations yet.").waitFor();
    expect(complaints).toEqual([]);
    expect(admin.complaints).toEqual([expect.stringContaining("404")]);
  });

  it("for retention periods: proposals, a dry run, a hold and its release", async () => {
    const admin = await browser.visit("/app#/administration/1/offices");
    await signInAs(admin.page, "edwin@northgate.example");
    await headed(admin.page, "Offices");
    await admin.page.getByLabel("E-mail").fill("mina@northgate.example");
    await admin.page
      .getByRole("combobox", { name: "Permission" })
      .selectOption({ label: "Set retention periods" });
    await press(admin.page, "Grant");
    await admin.page.getByRole("listitem").filter({ hasText: "Set retention periods" }).waitFor();

    const { page, complaints } = await browser.visit("/app#/account");
    await signInAs(page, "mina@northgate.example");
    await follow(page, "Set retention periods");
    await headed(page, "Retention");
    const talks = page.getByRole("textbox", { name: "Conversations with the tutor" });
    expect(await talks.inputValue()).toBe("180");
    await press(page, "Save");
    await page.getByText("Starts after its dry run was read.").first().waitFor();
    await press(page, "Start the dry run");
    await page.getByRole("row").filter({ hasText: "Conversations with the tutor" }).waitFor();
    await page.getByText("Deleted from").first().waitFor();
    await page.getByLabel("E-mail").fill("noor@northgate.example");
    await page.getByLabel("Reason").fill("Appeal 17");
    await press(page, "Put on hold");
    const line = page.getByRole("listitem").filter({ hasText: "Appeal 17" });
    await line.waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    page.on("dialog", (dialog) => dialog.accept());
    await line.getByRole("button").click();
    await page.getByText("No holds.").waitFor();
    await page.getByText("No deletions yet.").waitFor();
    expect([complaints, admin.complaints]).toEqual([[], []]);
  });

  it("for data requests: one person records, another approves, and a copy is downloaded", async () => {
    const right = "Handle data requests";
    const admin = await browser.visit("/app#/administration/1/offices");
    await signInAs(admin.page, "edwin@northgate.example");
    await headed(admin.page, "Offices");
    for (const [email, name] of [
      ["mina@northgate.example", "Mina Park"],
      ["noor@northgate.example", "Noor"],
    ] as const) {
      await admin.page.getByLabel("E-mail").fill(email);
      await admin.page.getByRole("combobox", { name: "Permission" }).selectOption({ label: right });
      await press(admin.page, "Grant");
      await admin.page.getByRole("listitem").filter({ hasText: name }).filter({ hasText: right }).waitFor();
    }

    const mina = await browser.visit("/app#/account");
    await signInAs(mina.page, "mina@northgate.example");
    await follow(mina.page, right);
    await headed(mina.page, "Data requests");
    await mina.page.getByText("No data requests.").waitFor();
    await mina.page.getByRole("textbox", { name: "E-mail" }).fill("edwin@northgate.example");
    await mina.page.getByRole("combobox", { name: /^Request/ }).selectOption({ label: "Correction" });
    await mina.page.getByLabel("Given name").waitFor();
    await mina.page.getByRole("combobox", { name: /^Request/ }).selectOption({ label: "Copy of data" });
    await press(mina.page, "Record");
    const line = mina.page.getByRole("listitem").filter({ hasText: "Open" });
    await line.getByText("Another member of the office must approve it.").waitFor();
    const search = mina.page.getByRole("searchbox", { name: "Name, e-mail address or number" });
    await search.pressSequentially("noor");
    await search.press("Enter");
    await mina.page.getByText("No data requests.").waitFor();
    await search.fill("");
    await search.pressSequentially("edwin");
    await line.waitFor();
    expect(await violationsOnEachSize(mina.page)).toEqual([]);

    const noor = await browser.visit("/app#/data-requests/1");
    await signInAs(noor.page, "noor@northgate.example");
    noor.page.on("dialog", (dialog) => dialog.accept());
    await noor.page.getByRole("button", { name: "Approve" }).click();
    const loading = noor.page.waitForEvent("download");
    await noor.page.getByRole("button", { name: "Download" }).click();
    expect((await loading).suggestedFilename()).toBe("data-1.json");
    await noor.page.getByText("decided on").waitFor();
    expect(await violationsOnEachSize(noor.page)).toEqual([]);
    expect([admin, mina, noor].map(({ complaints }) => complaints)).toEqual([[], [], []]);
  });
});
