import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { playFortnight, theDayAfter } from "../../api/operations/admin/fortnight/play.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { signInAs } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("the reports in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  const universities = new Map<string, string>();
  let administrator: string;
  let learner: string;
  let ofUniversity: string;
  let ofDepartment: string;

  beforeAll(async () => {
    world.setNow(theDayAfter);
    await playFortnight(world);
    const password_hash = await hashPassword(demoPassword, 4);
    const holder = async (role: "PLATFORM_ADMIN" | "UNIVERSITY_ADMIN") => {
      const { id, email } = await make.person({ password_hash });
      const { id: university_id, name } = await make.university();
      universities.set(email, name);
      await world.deps.db.insert(userUniversityRoles).values({ user_id: id, university_id, role });
      return email;
    };
    administrator = await holder("PLATFORM_ADMIN");
    ofUniversity = await holder("UNIVERSITY_ADMIN");
    const { id: university_id } = await make.university();
    const { id: department_id } = await make.department(university_id, { name: "Physics" });
    await make.department(university_id, { name: "Chemistry" });
    const head = await make.holder("department_admin", university_id, department_id);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, head.id));
    ofDepartment = head.email;
    learner = (await make.person({ password_hash })).email;
  });

  const tile = (page: Page, label: string, when: string) =>
    page.locator(".tile", { hasText: label }).filter({ hasText: when }).locator("strong").innerText();

  it.each<Size>(["desktop", "phone"])(
    "draw every chart on a %s, and ask no other host for anything",
    async (size) => {
      const { page, complaints } = await browser.visit("/app#/reports", size);
      await signInAs(page, administrator);
      await page.locator("figcaption").nth(6).waitFor();
      expect(await page.locator("figcaption").allInnerTexts()).toEqual([
        "Sign-ups and active people by day",
        "Completion and drop-off by course",
        "People by streak, in days",
        "Quiz attempts",
        "Answers to cacheable messages",
        "Cost of the tutor by day",
        "Cost of the tutor by course",
      ]);
      expect(await tile(page, "LLM calls saved", "since the beginning")).toBe("3");
      expect(await tile(page, "Cache hit rate", "since the beginning")).toBe("60%");
      expect(await violationsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it("show the period that is chosen, in figures that a chart says in words and in a table", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, administrator);
    await page.locator(".plot").first().waitFor();
    await page.getByLabel("From", { exact: true }).fill("2026-03-01");
    await page.getByLabel("To", { exact: true }).fill("2026-03-14");
    await page.getByRole("button", { name: "Show" }).click();
    const period = "from Mar 1, 2026 to Mar 14, 2026";
    await expect.poll(() => tile(page, "Time per topic", period)).toBe("14 min");
    expect(await tile(page, "Active people", "in the 7 days to Mar 14, 2026")).toBe("3");
    const words = await page.locator(".plot").first().getAttribute("aria-label");
    expect(words).toContain("Active people: 2026-03-01 3, 2026-03-02 1,");
    await page.getByText("Figures", { exact: true }).first().click();
    expect(await page.getByRole("row", { name: "2026-03-01" }).first().innerText()).toContain("3");
  });

  it("save a report as CSV", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, administrator);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "community.csv" }).click();
    expect((await saved).suggestedFilename()).toBe("community.csv");
  });

  it("show a university's administrator only that university, with the cost of its tutor", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, ofUniversity);
    await page.locator("figcaption").nth(3).waitFor();
    expect(await page.locator("figcaption").allInnerTexts()).toEqual([
      "Active people by day",
      "Completion and drop-off by course",
      "Cost of the tutor by day",
      "Cost of the tutor by course",
    ]);
    expect(await page.getByLabel("University").locator("option").allInnerTexts()).toEqual([
      universities.get(ofUniversity),
    ]);
    expect(await tile(page, "LLM calls", "from")).toBe("0");
    expect(await tile(page, "New enrollments", "from")).toBe("0");
    expect(await page.getByText("No data in this period.").count()).toBe(4);
    expect(await page.locator(".downloads button").allInnerTexts()).toEqual(["tutor.csv", "university.csv"]);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "university.csv" }).click();
    expect((await saved).suggestedFilename()).toBe("university.csv");
  });

  it("show a department's administrator only the department, without the cost of the whole university's tutor", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, ofDepartment);
    await page.locator("figcaption").nth(1).waitFor();
    expect(await page.locator("figcaption").allInnerTexts()).toEqual([
      "Active people by day",
      "Completion and drop-off by course",
    ]);
    const departments = page.getByLabel("Department");
    expect(await departments.locator("option").allInnerTexts()).toEqual(["Physics"]);
    expect(await page.locator(".downloads button").allInnerTexts()).toEqual(["university.csv"]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("of an offering name stuck learners", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, administrator);
    const all = page.getByLabel("University").locator("option");
    await all.nth(1).waitFor({ state: "attached" });
    for (const name of (await all.allInnerTexts()).slice(1)) {
      await page.getByLabel("University").selectOption({ label: name });
      await page.locator(".tile").first().waitFor();
      if ((await page.getByLabel("Offering").locator("option").count()) > 1) break;
    }
    await page.getByLabel("Offering").selectOption({ index: 1 });
    await page.getByRole("heading", { name: "Inactive learners" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it("reject users without permission, and say why", async () => {
    const { page } = await browser.visit("/app#/reports");
    await signInAs(page, learner);
    await page.getByText("Only administrators can see reports.").waitFor();
    expect(await page.locator(".tiles").count()).toBe(0);
    expect(await page.getByRole("link", { name: "Reports" }).count()).toBe(0);
  });
});
