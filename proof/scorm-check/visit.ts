import type { Browser, Page } from "playwright-core";

export type PersonCredentials = { email: string; password: string };

export type AppRoute = { base: string; hash: string };

/** Signs a person in to the web application on another device, at a route. */
export async function visitAppAs(
  browser: Browser,
  { base, hash }: AppRoute,
  { email, password }: PersonCredentials,
): Promise<Page> {
  const context = await browser.newContext({ locale: "en" });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(`${base}/app#${hash}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return page;
}
