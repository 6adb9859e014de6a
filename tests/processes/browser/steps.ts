import type { Page } from "playwright-core";

/** What people do on most screens, by the words that they read there. */
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();
export const headed = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true }).waitFor();
export const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();
