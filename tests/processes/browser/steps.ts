import type { Page } from "playwright-core";

/** Common actions, by visible text. */
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const headed = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true }).waitFor();
export const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

/** Follows a link and waits until its element is gone: the next screen may have the same fields. */
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

/** Whether the second element is to the right of the first and overlaps its height. */
export async function standBeside(page: Page, first: string, second: string): Promise<boolean> {
  const [one, other] = [await page.locator(first).boundingBox(), await page.locator(second).boundingBox()];
  if (!one || !other) return false;
  return one.x + one.width <= other.x && other.y < one.y + one.height;
}

/** Opens the tutor's sheet, which covers a topic on a narrow screen. */
export const openTutor = (page: Page) => press(page, "Open the tutor");

/** Chooses an action in the menu of the tutor's conversation. */
export async function chooseInTutor(page: Page, name: string): Promise<void> {
  await page.getByLabel("Conversation menu").click();
  await page.locator(".menu-list").getByRole("button", { name, exact: true }).click();
}
