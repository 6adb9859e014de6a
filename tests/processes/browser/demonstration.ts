import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeAll } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { demoAccounts, demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { insertDemonstration } from "../../../scripts/dev/seed/insert.ts";
import { openBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";

const accounts = demoAccounts.map(({ email, name, role }) => ({
  ...{ email, role },
  full_name: name,
  password: demoPassword,
}));

/** The demonstration's university in a browser, with its accounts on the first screen. */
export function openDemonstration(settings: Record<string, string> = {}) {
  const world = openWorld({ DEMONSTRATION_ACCOUNTS: JSON.stringify(accounts), ...settings });
  const browser = openBrowser(world);
  beforeAll(async () => {
    const { db } = world.deps;
    await insertDemonstration(db, await hashPassword(demoPassword, 4), world.deps.now());
    // Removes films, which tests would load from elsewhere.
    await db.update(contentItems).set({ data_json: sql`data_json - 'url'` }).where(sql`data_json ? 'url'`);
  });
  return { world, browser };
}

/** The demonstration's university for staff. The browser's own clock shows how long a claim lasts. */
export function openStaffDemonstration() {
  const world = openWorld();
  const browser = openBrowser(world);
  beforeAll(async () => {
    world.setNow(new Date());
    await insertDemonstration(world.deps.db, await hashPassword(demoPassword, 4), world.deps.now());
  });
  return { world, browser };
}

export async function signInAs(page: Page, email: string) {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(demoPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs in and waits for the first screen. */
export async function signIn(page: Page, email: string) {
  await signInAs(page, email);
  await page.getByRole("heading", { name: /^(Hello, |Teaching$|Administration$)/ }).waitFor();
}

export async function openTopic(page: Page, course: string, topic: string) {
  await page.getByRole("link", { name: course, exact: true }).click();
  await page.getByRole("link", { name: topic, exact: true }).click();
  await page.getByRole("heading", { name: topic, level: 1 }).waitFor();
}

export const focused = (page: Page) => page.evaluate<string>("document.activeElement?.textContent");
