import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { keepDomains } from "./keep-domains.ts";
import { keepSamlProvider } from "./keep-saml-provider.ts";
import { keepUniversity } from "./keep-university.ts";
import { headed, openPart, press } from "./steps.ts";
import { isRefusal } from "./write-course.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  it("make a university, change it and delete it", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "priya@northgate.example");
    await keepUniversity(page, "NGU");
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);
  });

  it("grant a university its domains, which its own administrators read", async () => {
    const { page, complaints } = await browser.visit("/app#/administration/1/settings");
    await signInAs(page, "priya@northgate.example");
    await openPart(page, "Connections", "Domains");
    await keepDomains(page);
    await page.getByLabel("Domain", { exact: true }).fill("northgate-staff.example");
    await press(page, "Grant domain");
    await page.getByText("northgate-staff.example").waitFor();
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    const reader = await browser.visit("/app#/administration/1/domains");
    await signInAs(reader.page, "edwin@northgate.example");
    await reader.page.getByText("northgate-staff.example").waitFor();
    expect(await reader.page.getByRole("button", { name: /^Revoke|^Grant/ }).count()).toBe(0);
    expect(await violationsOnEachSize(reader.page)).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  it("add an identity provider by SAML, which the page to sign in names", async () => {
    const { page, complaints } = await browser.visit("/app#/administration/1/settings");
    await signInAs(page, "edwin@northgate.example");
    await openPart(page, "Connections", "Identity providers");
    await keepSamlProvider(page);
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    const visitor = await browser.visit("/app?university=1");
    const login = visitor.page.waitForRequest(/\/auth\/saml\/1\.federated\/login\?.*code_challenge=/);
    const atProvider = visitor.page.waitForRequest(/^https:\/\/idp\.example\.edu\/sso\?.*SAMLRequest=/);
    // There is no such server. Not every browser can intercept redirects, so the request is enough.
    await visitor.page.route("https://idp.example.edu/**", (route) => route.abort());
    await visitor.page.getByRole("button", { name: /Federated account/ }).click();
    await login;
    await atProvider;
  });

  it("invite and import people, and set terms, limits and identity providers of a university", async () => {
    const mailbox = mailboxOf(world);
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    await openPart(page, "People", "Invitations");
    await page.getByLabel("E-mail").fill("guest@example.edu");
    await page.getByLabel("Role").selectOption("TA");
    await page.getByRole("button", { name: "Send the invitation" }).click();
    await page.getByText("guest@example.edu").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.goto(new URL("/app#/authoring/1/offerings/1", browser.url()).href);
    const teachers = page.getByRole("region", { name: "Teachers" });
    await teachers.getByLabel("E-mail").fill("lecturer@example.edu");
    await press(page, "Add teacher");
    await teachers.getByText("Offer sent by mail.").waitFor();
    await page.goBack();
    const invited = page.getByRole("listitem").filter({ hasText: "lecturer@example.edu" });
    await invited.getByText("to teach an offering").waitFor();
    const token = await mailbox.tokenFor("guest@example.edu");
    const { page: guest } = await browser.visit(`/app#/accept-invitation?token=${token}`, "phone");
    await guest.getByLabel("Name").fill("Grace Guest");
    await guest.getByLabel("Password").fill("a password of her own");
    expect(await violationsOnEachSize(guest)).toEqual([]);
    await guest.getByRole("button", { name: "Accept the invitation" }).click();
    // Staff land on their classes.
    await headed(guest, "Teaching");
    await page.reload();
    await page.getByRole("listitem").filter({ hasText: "guest@example.edu" }).getByText("accepted").waitFor();
    await openPart(page, "People", "Imports");
    const rows =
      "email,full_name\r\nada@example.edu,Ada Lovelace\r\nnobody,Nobody\r\nlucia@estrecho.example,Lucía\r\n";
    const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(rows) };
    await page.getByLabel("Files").setInputFiles(file);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("people.csv, line 3").waitFor();
    await page.getByText("3 rows: 1 created, 0 changed, 0 unchanged, 1 offered, 1 refused").first().waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await openPart(page, "Teaching", "Terms");
    await page.getByText(/^Term of/).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await openPart(page, "Teaching", "Tutor budget");
    await page.getByLabel("Answers per person and day").fill("50");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await openPart(page, "Connections", "Identity providers");
    await page.getByRole("heading", { name: "New provider" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
