import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/auth/passwords.ts";
import { userUniversityRoles } from "../../../schema/db/roles.ts";
import { playFortnight, theDayAfter } from "../../api/admin/fortnight/play.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const password = "correct horse battery staple";

describe.skipIf(!systemBrowser)("/admin/dashboard in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  const universities = new Map<string, string>();
  let administrator: string;
  let learner: string;
  let ofUniversity: string;

  beforeAll(async () => {
    world.setNow(theDayAfter);
    await playFortnight(world);
    const password_hash = await hashPassword(password, 4);
    const holder = async (role: "PLATFORM_ADMIN" | "UNIVERSITY_ADMIN") => {
      const { id, email } = await make.person({ password_hash });
      const { id: university_id, name } = await make.university();
      universities.set(email, name);
      await world.deps.db.insert(userUniversityRoles).values({ user_id: id, university_id, role });
      return email;
    };
    administrator = await holder("PLATFORM_ADMIN");
    ofUniversity = await holder("UNIVERSITY_ADMIN");
    learner = (await make.person({ password_hash })).email;
  });

  async function signIn(page: Page, email: string) {
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  const tile = (page: Page, label: string) =>
    page.locator(".tile", { hasText: label }).locator("strong").innerText();

  it.each(["/admin/dashboard", "/admin/dashboard/"])(
    "%s signs in, draws every chart, and asks no other host for anything",
    async (path) => {
      const { page, complaints } = await browser.visit(path);
      await signIn(page, administrator);
      await page.locator("canvas").nth(6).waitFor();
      expect(await page.locator("figcaption").allInnerTexts()).toEqual([
        "Sign-ups and active people by day",
        "Completion and drop-off by course",
        "People by streak, in days",
        "Quiz attempts",
        "Answers to cacheable messages",
        "Cost of the tutor by day",
        "Cost of the tutor by course",
      ]);
      expect(await tile(page, "LLM calls saved")).toBe("3");
      expect(await tile(page, "Cache hit rate")).toBe("60%");
      expect(complaints).toEqual([]);
    },
  );

  it("shows the period that is chosen, in figures that the canvas says in words", async () => {
    const { page } = await browser.visit("/admin/dashboard");
    await signIn(page, administrator);
    await page.locator("canvas").first().waitFor();
    await page.getByLabel("From", { exact: true }).fill("2026-03-01");
    await page.getByLabel("To", { exact: true }).fill("2026-03-14");
    await page.getByRole("button", { name: "Show" }).click();
    await expect.poll(() => tile(page, "Time per topic")).toBe("14 min");
    expect(await tile(page, "Active in 7 days")).toBe("3");
    const words = await page.locator("canvas").first().getAttribute("aria-label");
    expect(words).toContain("Active people: 2026-03-01 3, 2026-03-02 1,");
  });

  it("saves a report as CSV", async () => {
    const { page } = await browser.visit("/admin/dashboard");
    await signIn(page, administrator);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "community.csv" }).click();
    expect((await saved).suggestedFilename()).toBe("community.csv");
  });

  it("shows a university's administrator what its tutor costs, and the report of the university that they choose", async () => {
    const { page } = await browser.visit("/admin/dashboard");
    await signIn(page, ofUniversity);
    await page.locator("canvas").nth(1).waitFor();
    expect(await page.locator("figcaption").allInnerTexts()).toEqual([
      "Cost of the tutor by day",
      "Cost of the tutor by course",
    ]);
    expect(await tile(page, "LLM calls in the period")).toBe("0");
    expect(await page.locator("#downloads button:visible").allInnerTexts()).toEqual(["tutor.csv"]);
    await page.getByLabel("University").selectOption({ label: universities.get(ofUniversity) ?? "" });
    await page.locator("canvas").nth(3).waitFor();
    expect((await page.locator("figcaption").allInnerTexts()).slice(0, 2)).toEqual([
      "Active people by day",
      "Completion and drop-off by course",
    ]);
    expect(await tile(page, "New in the period")).toBe("0");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "university.csv" }).click();
    expect((await saved).suggestedFilename()).toBe("university.csv");
  });

  it("turns away whoever may not see the reports, and says why", async () => {
    const { page } = await browser.visit("/admin/dashboard");
    await signIn(page, learner);
    await page.getByText("The reports are for administrators.").waitFor();
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Incorrect email or password").waitFor();
    expect(await page.locator("#reports").isVisible()).toBe(false);
  });
});
