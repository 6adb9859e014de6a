import type { Page } from "playwright-core";

/** What people do on most screens, by the words that they read there. */
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const headed = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true }).waitFor();
export const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

/** Goes where a link leads, until what stood there is no longer on the page: the next screen may have fields of the same names. */
export async function follow(page: Page, name: string): Promise<void> {
  const link = page.getByRole("link", { name, exact: true });
  const target = await link.getAttribute("href");
  const leads = target?.startsWith("#") && target !== (await page.evaluate<string>("location.hash"));
  if (leads)
    await page.evaluate(
      `moved = new Promise((resolve) => addEventListener("hashchange", () => setTimeout(resolve), { once: true })); 0`,
    );
  await link.click();
  if (leads) await page.evaluate("moved");
}

/** Whether the second of two elements of a page stands at the right of the first, and begins beside it. */
export async function standBeside(page: Page, first: string, second: string): Promise<boolean> {
  const [one, other] = [await page.locator(first).boundingBox(), await page.locator(second).boundingBox()];
  if (!one || !other) return false;
  return one.x + one.width <= other.x && other.y < one.y + one.height;
}
