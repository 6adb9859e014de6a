import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPackage } from "../../api/integrations/scorm/open-package.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { manifest12, packageOf } from "../../support/scorm.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

/** Each attempt answers `blocked`, or what it reached. */
const page = (
  outside: string,
  application: string,
): string => `<!doctype html><html lang="en"><title>Reach</title>
<pre id="result">waiting</pre>
<script>
  const outside = ${JSON.stringify(outside)};
  const attempt = async (reach) => { try { return await reach(); } catch { return "blocked"; } };
  const loaded = (element, name) => new Promise((resolve) => {
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("blocked");
    element[name] = outside + "/" + element.tagName;
    document.body.append(element);
  });
  const attempts = {
    fetch: () => fetch(outside + "/fetch", { mode: "no-cors" }).then(() => "sent"),
    api: () => fetch(${JSON.stringify(application)} + "/api/v1/users/me", { credentials: "include" }).then(() => "sent"),
    image: () => loaded(new Image(), "src"),
    script: () => loaded(document.createElement("script"), "src"),
    socket: () => new Promise((resolve) => {
      const socket = new WebSocket(outside.replace("http", "ws"));
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("blocked");
    }),
    beacon: () => navigator.sendBeacon(outside + "/beacon", "data") ? "queued" : "blocked",
    application: () => top.document.title,
    storage: () => Object.keys(top.localStorage).join(),
    navigation: () => { top.location.href = outside + "/top"; return "moved"; },
    player: () => typeof parent.API === "object" ? "the API" : "none",
  };
  addEventListener("load", async () => {
    const results = {};
    for (const [name, reach] of Object.entries(attempts)) results[name] = await attempt(reach);
    document.getElementById("result").textContent = JSON.stringify(results);
  });
</script></html>`;

describe.skipIf(!systemBrowser)("scripts of a package", () => {
  const world = openWorld({ PACKAGES_URL: "" });
  const browser = openBrowser(world);
  const reached: string[] = [];
  const outside = createServer((request, response) => {
    reached.push(request.url ?? "");
    response.end();
  });

  beforeAll(() => new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void outside.close());
  beforeEach(() => world.setNow(new Date()));

  it("reach the standard's API and nothing outside of the package", async () => {
    const { port } = outside.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    const archive = packageOf({
      "imsmanifest.xml": manifest12([{ href: "index.html" }]),
      "index.html": page(address, browser.url()),
    });
    const { course, offering, item, learner } = await openPackage(world, { archive });
    const { page: visited } = await visitAs(
      world,
      browser,
      learner,
      `courses/${course.id}/${offering.id}/${item.id}`,
    );
    await press(visited, "Start");
    const result = visited.frameLocator(".scorm-frame").frameLocator("#package").locator("#result");
    await result.filter({ hasText: "{" }).waitFor();
    expect(JSON.parse((await result.textContent()) ?? "")).toEqual({
      ...{ fetch: "blocked", api: "blocked", image: "blocked", script: "blocked", socket: "blocked" },
      // The browser queues it, and the policy drops it.
      beacon: expect.stringMatching(/^(queued|blocked)$/),
      ...{ application: "blocked", storage: "blocked", player: "the API" },
      // Not every browser throws.
      navigation: expect.stringMatching(/^(blocked|moved)$/),
    });
    expect(reached).toEqual([]);
    expect(new URL(visited.url()).origin).toBe(new URL(browser.url()).origin);
  });
});
