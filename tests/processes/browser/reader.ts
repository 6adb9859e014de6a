import { eq } from "drizzle-orm";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import type { openBrowser, Size, Visit } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import type { World } from "../../support/world.ts";

const password = "correct horse battery staple";

type ReadTopic = {
  /** Depends on the type. */
  data: Record<string, unknown>;
  type?: string;
  size?: Size;
  /** The course's language. */
  language?: string;
};

export async function readTopic(
  world: World,
  browser: ReturnType<typeof openBrowser>,
  { data, type = "text", size, language }: ReadTopic,
): Promise<Visit & { itemId: number }> {
  const make = makersOf(world);
  const { university, course, offering, module } = await make.topic(
    language ? { language_code: language } : {},
  );
  const item = await make.contentItem(module, university.id, { type });
  await world.deps.db.update(contentItems).set({ data_json: data }).where(eq(contentItems.id, item.id));
  const learner = await make.person({ password_hash: await hashPassword(password, 4) });
  await make.enrollment(learner.id, offering.id);
  const visit = await browser.visit(`/app#/courses/${course.id}/${offering.id}/${item.id}`, size);
  const { page } = visit;
  await page.getByLabel("E-mail").fill(learner.email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: item.title, level: 1 }).waitFor();
  return { ...visit, itemId: item.id };
}

export const paragraphs = (texts: readonly string[]): Record<string, unknown> => ({
  blocks: texts.map((text) => ({ type: "paragraph", text })),
});
