import { eq } from "drizzle-orm";
import type { FrameLocator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { openPackage } from "../../api/integrations/scorm/open-package.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { packScorm } from "../../support/packaged-scorm.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";

const password = "a password of the tests";

describe.skipIf(!systemBrowser)("a SCORM package in a browser", () => {
  // In development packages have hosts below localhost, at the server's port.
  const world = openWorld({ PACKAGES_URL: "" });
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  type Opened = Awaited<ReturnType<typeof openPackage>>;

  async function open(version: "1.2" | "2004", data: Record<string, unknown> = {}) {
    const at = await openPackage(world, { archive: await packScorm(version), data });
    expect(at.checked.body).toMatchObject({ version, title: "Waves" });
    const password_hash = await hashPassword(password, 4);
    await world.deps.db.update(users).set({ password_hash }).where(eq(users.id, at.learner.id));
    return at;
  }

  async function visit({
    course,
    offering,
    item,
    learner,
  }: Opened): Promise<{ page: Page; complaints: string[] }> {
    const { page, complaints } = await browser.visit(`/app#/courses/${course.id}/${offering.id}/${item.id}`);
    page.setDefaultTimeout(30_000);
    await page.getByLabel("E-mail").fill(learner.email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
    return { page, complaints };
  }

  const packageIn = (page: Page): FrameLocator => page.frameLocator(".scorm-frame").frameLocator("#package");

  async function cellOf({ teacher, offering }: Opened) {
    const { body } = await teacher.get(`/assessments/offerings/${offering.id}/gradebook`);
    return body.rows[0].cells[0];
  }

  it.each(["1.2", "2004"] as const)(
    "of version %s is played, continued on another device, graded and shown to its teacher",
    async (version) => {
      const at = await open(version, { max_points: 20 });
      const first = await visit(at);
      await press(first.page, "Start");
      await packageIn(first.page).getByText("Bookmark: none").waitFor();
      await packageIn(first.page).getByRole("button", { name: "Next page" }).click();
      await packageIn(first.page).getByText("Bookmark: page 2").waitFor();
      expect(await violationsOf(first.page)).toEqual([]);
      await press(first.page, "Save and close");
      await first.page.getByText("not completed").waitFor();
      expect((await cellOf(at)).state).toBe("NONE");

      const second = await visit(at);
      await press(second.page, "Continue");
      await packageIn(second.page).getByText("Bookmark: page 2").waitFor();
      await packageIn(second.page).getByRole("button", { name: "Finish with 85" }).click();
      await press(second.page, "Save and close");
      await second.page.getByText("85%").waitFor();
      await expect.poll(() => cellOf(at)).toMatchObject({ score: 17, state: "GRADED" });

      // Scripts of the package stay on its own host.
      const host = new URL(browser.url()).host;
      const foreign = [...first.complaints, ...second.complaints].filter(
        (line) => !/^http:\/\/p\d+\.localhost:\d+\/api\/v1\/scorm\/packages\//.test(line),
      );
      expect(foreign).toEqual([]);
      expect(host).toMatch(/^(127\.0\.0\.1|localhost):\d+$/);
    },
  );

  it("keeps its data while the network is away, and saves it when it is back", async () => {
    const at = await open("1.2");
    const { page } = await visit(at);
    await press(page, "Start");
    await packageIn(page).getByText("Bookmark: none").waitFor();
    await page.context().setOffline(true);
    await packageIn(page).getByRole("button", { name: "Finish with 85" }).click();
    await expect
      .poll(() =>
        page.evaluate<number>(`Object.keys(localStorage).filter((key) => key.includes(" scorm ")).length`),
      )
      .toBe(1);
    expect((await cellOf(at)).score).toBeNull();
    await page.context().setOffline(false);
    await expect.poll(async () => (await cellOf(at)).score).toBe(85);
  });

  it("that another device continued says so", async () => {
    const at = await open("1.2");
    const { page } = await visit(at);
    await press(page, "Start");
    await packageIn(page).getByText("Bookmark: none").waitFor();
    await at.launch();
    await packageIn(page).getByRole("button", { name: "Finish with 85" }).click();
    await page.getByText("continued in another window").waitFor();
    expect((await cellOf(at)).score).toBeNull();
  });
});
