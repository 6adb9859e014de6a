import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

/** The LMS is `localhost` and the service `127.0.0.1`: two sites, so that the tool's cookies are a third party's. */
describe.skipIf(!systemBrowser)(
  "a launch by LTI in a frame of another site, without third-party cookies",
  () => {
    const world = openWorld();
    const make = makersOf(world);
    const browser = openBrowser(world, {
      args: [
        "--test-third-party-cookie-phaseout",
        // An answer that a test passes on is of no network, from which none leads to this machine.
        "--disable-features=LocalNetworkAccessChecks",
      ],
    });
    let platform: LtiPlatformStandIn;
    let root: string;
    let lms: string;

    beforeAll(async () => {
      platform = await startLtiPlatform();
      lms = platform.issuer.replace("127.0.0.1", "localhost");
      const { id } = await make.university();
      const admin = world.as(await make.holder("university_admin", id));
      const all = `/universities/${id}/lti-platforms`;
      const { body } = await admin.post(all, {
        ...platform.registration,
        auth_login_url: `${lms}/auth`,
        frame_origins: [lms],
      });
      await admin.post(`${all}/${body.id}/deployments`, { deployment_id: "1" });
      root = `${browser.url()}/lti/${id}`;
    });
    afterAll(() => platform.close());
    beforeEach(() => {
      platform.state.launch = { target: `${root}/launch`, now: world.deps.now() };
    });

    /** The LMS's course, which launches the tool in its frame. */
    const courseAddress = (changes: Record<string, string> = {}): string => {
      const login = new URLSearchParams({
        iss: platform.issuer,
        client_id: platform.clientId,
        login_hint: "person-1",
        target_link_uri: `${root}/launch`,
        ...changes,
      });
      return `${lms}/course?${new URLSearchParams({ tool: `${root}/login?${login}` })}`;
    };

    const tool = (page: Page) => page.frameLocator("iframe[name=tool]");

    /** As a browser that keeps nothing of a frame of another site. */
    const keepNoCookies = (page: Page) =>
      page.route(/\/lti\/\d+\/login/, async (route: Route) => {
        const response = await route.fetch({ maxRedirects: 0 });
        const { "set-cookie": _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });

    it("succeeds by a partitioned cookie", async () => {
      const { page } = await browser.visit(courseAddress());
      await tool(page).getByRole("heading", { name: "Not connected yet" }).waitFor();
      const frame = page.frame("tool");
      expect(frame?.url()).toBe(`${root}/launch`);
      expect(await violationsOf(page)).toEqual([]);
    });

    it("succeeds by the platform's own store, where there are no cookies at all", async () => {
      const { page } = await browser.visit("/healthz");
      await keepNoCookies(page);
      await page.goto(courseAddress({ lti_storage_target: "lti_store" }));
      await tool(page).getByRole("heading", { name: "Not connected yet" }).waitFor();
    });

    it("opens a window of its own, where there is neither", async () => {
      const { page } = await browser.visit("/healthz");
      await keepNoCookies(page);
      await page.goto(courseAddress());
      await tool(page).getByText("begun in another browser").waitFor();
      const opened = page.waitForEvent("popup");
      await tool(page).getByRole("link", { name: "Open it in a window of its own" }).click();
      const own = await opened;
      await own.getByRole("heading", { name: "Not connected yet" }).waitFor();
    });
  },
);
