import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";

const password = "correct horse battery staple";

describe.skipIf(!systemBrowser)("two authors of one course", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  /** A course, one author on one of its screens, and another elsewhere. */
  async function authors(at: (made: Awaited<ReturnType<typeof make.topic>>) => string) {
    const made = await make.topic();
    const author = await make.person({ password_hash: await hashPassword(password, 4) });
    const role = { user_id: author.id, university_id: made.university.id, role: "INSTRUCTOR" as const };
    await world.deps.db.insert(userUniversityRoles).values(role);
    const other = world.as(await make.holder("instructor", made.university.id));
    const { page } = await browser.visit(`/app#/authoring/${made.course.id}${at(made)}`);
    await page.getByLabel("E-mail").fill(author.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
    return { ...made, page, other };
  }

  const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).first().click();
  const title = (page: Page) => page.getByRole("textbox", { name: "Title", exact: true });

  it("are notified of each other, and both changes stay", async () => {
    const { page, other, item } = await authors(({ item }) => `/items/${item.id}`);
    await title(page).waitFor();
    await other.put(`/content/${item.id}`, { description: "Theirs" });
    await title(page).fill("Mine");
    await save(page);
    await page.getByText("Someone else changed this in the meantime.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect((await other.get(`/content/${item.id}`)).body).toMatchObject({ title: item.title });
    await press(page, "Save anyway");
    await saved(page);
    expect((await other.get(`/content/${item.id}`)).body).toMatchObject({
      title: "Mine",
      description: "Theirs",
    });
    // Later changes start from the saved state.
    await title(page).fill("Mine again");
    await save(page);
    await expect.poll(async () => (await other.get(`/content/${item.id}`)).body.title).toBe("Mine again");
  });

  it("may view the other's version before replacing their own", async () => {
    const { page, other, course } = await authors(() => "/settings");
    await title(page).waitFor();
    await other.put(`/courses/${course.id}`, { title: "Theirs" });
    await title(page).fill("Mine");
    await save(page);
    await press(page, "Show the current version");
    await expect.poll(() => title(page).inputValue()).toBe("Theirs");
    await page.getByRole("textbox", { name: "Language", exact: true }).fill("de");
    await save(page);
    await expect
      .poll(async () => (await other.get(`/courses/${course.id}`)).body)
      .toMatchObject({ title: "Theirs", language_code: "de" });
  });

  it("do not undo each other's order of modules", async () => {
    const { page, other, course, module } = await authors(() => "");
    // Waits for the sign-in: reloading before its response loses it.
    await page.getByRole("heading", { name: module.title }).waitFor();
    const second = await make.module(course.id);
    const third = await make.module(course.id);
    await page.reload();
    await page.getByRole("heading", { name: third.title }).waitFor();
    await other.post("/modules/reorder", { module_ids: [third.id, second.id, module.id] });
    const down = (name: string) => page.getByRole("button", { name: `Move ${name} down` });
    await down(module.title).click();
    await page.getByText("Someone else changed this in the meantime.").waitFor();
    const orderOf = async () =>
      (await other.get(`/modules/courses/${course.id}/modules/root`)).body.map(
        ({ id }: { id: number }) => id,
      );
    expect(await orderOf()).toEqual([third.id, second.id, module.id]);
    // Two moves in a row, each after the new order is shown. A press before the response would use the old
    // order.
    const answered = page.waitForResponse((reply) => reply.url().endsWith("/modules/reorder") && reply.ok());
    await down(third.title).click();
    await (await answered).finished();
    await expect.poll(orderOf).toEqual([second.id, third.id, module.id]);
    await down(third.title).click();
    await expect.poll(orderOf).toEqual([second.id, module.id, third.id]);
  });
});
