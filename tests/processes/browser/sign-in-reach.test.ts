import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { identityProviders } from "../../../schema/db/identity/identity-providers.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { universityMembers } from "../../../schema/db/identity/university-members.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { follow } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a sign-in with a limited reach, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("shows what a university withholds that requires its own provider, or has suspended the person", async () => {
    const { db } = world.deps;
    const strict = await make.university();
    const severe = await make.university();
    const setting = { name: "campus", label: "Campus account", issuer: "https://id.example.edu" };
    const secret = { client_id: "c", secret_ciphertext: "s" };
    await db.insert(identityProviders).values({ university_id: strict.id, ...setting, ...secret });
    await db.update(universities).set({ requires_own_provider: true }).where(eq(universities.id, strict.id));
    const person = await make.holder("student", strict.id);
    await db
      .insert(userUniversityRoles)
      .values({ user_id: person.id, university_id: severe.id, role: "STUDENT" });
    await db
      .update(universityMembers)
      .set({ is_active: false })
      .where(eq(universityMembers.university_id, severe.id));
    const course = await make.course(strict.id, { title: "Behind the campus account" });
    await make.offering(course);

    const { page } = await visitAs(world, browser, person, "");
    const provided = `${strict.name} requires its own identity provider, Campus account. Its content is not shown here.`;
    const suspended = `${severe.name} suspended your access. Its content is not shown here.`;
    for (const screen of ["My courses", "Catalog"]) {
      await follow(page, screen);
      for (const words of [provided, suspended]) await page.getByText(words).first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }
    // The card explains why enrolling is not offered.
    const card = page.getByRole("listitem").filter({ hasText: "Behind the campus account" });
    await card.getByText(provided).waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
  });

  it("by a university offers nothing of the whole account, and says what needs another sign-in", async () => {
    const university = await make.university();
    const person = await make.holder("student", university.id);
    const { page } = await visitAs(
      world,
      browser,
      { ...person, reach: { university_id: university.id } },
      "account",
    );
    await page.getByText(`You signed in through ${university.name}, so you only see its content.`).waitFor();
    await page.getByText(/^You signed in through a university\. Sign in directly to change/).waitFor();
    await page.getByText(/^You must also sign in directly for your data/).waitFor();
    for (const name of ["Sign out everywhere", "Change password"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    expect(await violationsOf(page)).toEqual([]);

    await follow(page, "Flashcards");
    await page.getByText("You signed in through a university, and this belongs to none.").waitFor();
    expect(await page.getByRole("button", { name: "Create the deck" }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("that reaches everything says nothing of it", async () => {
    const { id } = await make.university();
    const { page } = await visitAs(world, browser, await make.holder("student", id), "account");
    await page.getByRole("heading", { name: "My account" }).waitFor();
    await page.getByRole("button", { name: "Sign out everywhere" }).waitFor();
    expect(await page.locator("p.notice").count()).toBe(0);
  });
});
