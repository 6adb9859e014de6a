import type { Locator, Page } from "playwright-core";

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

/** Opens a screen of a university's administration by its group. */
export async function openPart(page: Page, group: string, part: string): Promise<void> {
  const areas = page.getByRole("navigation", { name: "Areas of the administration" });
  await areas.getByRole("link", { name: group, exact: true }).click();
  await page
    .getByRole("navigation", { name: "Parts" })
    .getByRole("link", { name: part, exact: true })
    .click();
  await headed(page, part);
}

/** Counts a person's actions on a page: each press, choice and field is one. */
export function handsOn(page: Page) {
  let count = 0;
  const on = (part: Page | Locator) => ({
    press: (name: string) => once(part.getByRole("button", { name, exact: true }).click()),
    follow: (name: string) => once(part.getByRole("link", { name, exact: true }).click()),
    open: (name: string) => once(part.getByText(name, { exact: true }).first().click()),
    type: (label: string, words: string) =>
      once(part.getByLabel(label, { exact: true }).pressSequentially(words)),
    choose: (label: string, option: string) => once(part.getByLabel(label).selectOption(option)),
  });
  const once = async (deed: Promise<unknown>) => {
    count += 1;
    await deed;
  };
  return { ...on(page), within: on, count: () => count };
}

/** The end of an answer that asks a question. */
export const askedQuestion = (number: number) => `

\`\`\`mcq
{"questionId": "q${number}", "question": "Which way does it move?", "options": [{"id": "A", "text": "To the left"}, {"id": "B", "text": "To the right"}]}
\`\`\``;
