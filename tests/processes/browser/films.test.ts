import { describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { readTopic } from "./reader.ts";

describe.skipIf(!systemBrowser)("a film", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it.each(["url", "video_url", "video_id"])(
    "with its address pasted as %s plays in place, and its site is shown",
    async (field) => {
      const data = { provider: "youtube", [field]: "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10s" };
      const { page } = await readTopic(world, browser, { type: "video", data });
      const frame = page.locator("iframe.video");
      expect(await frame.getAttribute("src")).toBe(
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=10",
      );
      expect(await frame.getAttribute("referrerpolicy")).toBe("strict-origin-when-cross-origin");
    },
  );

  it("that cannot play is a link", async () => {
    const url = `${browser.url()}/openapi.json`;
    const { page } = await readTopic(world, browser, { type: "video", data: { url } });
    await page.getByText("The video cannot be played here.").waitFor();
    const link = page.getByRole("link", { name: "Open the video" });
    expect(await link.getAttribute("href")).toBe(url);
    expect(await page.locator("video").count()).toBe(0);
  });

  it.each([
    [undefined, "de"],
    ["fr", "fr"],
  ])(
    "has the language of the course, and its transcript its own, %s, or the same: %s",
    async (language, marked) => {
      const transcript = { ...(language && { language }), segments: [{ start: 0, text: "Bonjour" }] };
      const data = { video_id: "dQw4w9WgXcQ", provider: "youtube", transcript };
      const { page } = await readTopic(world, browser, { type: "video", language: "de", data });
      await page.getByText("Bonjour", { exact: true }).waitFor();
      // The course's language applies next to the topic.
      await expect.poll(() => page.locator("iframe.video").getAttribute("lang")).toBe("de");
      await expect.poll(() => page.locator(".transcript ol").getAttribute("lang")).toBe(marked);
    },
  );
});
