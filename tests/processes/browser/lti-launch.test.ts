import { sql } from "drizzle-orm";
import { decodeJwt } from "jose";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../lib/integrations/lti/keys.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { visitAs } from "./visit-as.ts";

/**
 * The LMS is `localhost` and the service `127.0.0.1`: different sites, so the tool's cookies are third-party.
 */
describe.skipIf(!systemBrowser)(
  "a launch by LTI in a frame of another site, without third-party cookies",
  () => {
    const world = openWorld();
    const make = makersOf(world);
    const browser = openBrowser(world, {
      args: [
        "--test-third-party-cookie-phaseout",
        // Responses through `page.route` have no network, and such pages may not request loopback addresses.
        "--disable-features=LocalNetworkAccessChecks",
      ],
    });
    let platform: LtiPlatformStandIn;
    let root: string;
    let lms: string;
    let quiz: Awaited<ReturnType<typeof openQuiz>>;
    let admin: Awaited<ReturnType<typeof make.holder>>;

    beforeAll(async () => {
      platform = await startLtiPlatform();
      lms = platform.issuer.replace("127.0.0.1", "localhost");
      quiz = await openQuiz(world);
      const { id } = quiz.university;
      admin = await make.holder("university_admin", id);
      const all = `/universities/${id}/lti-platforms`;
      const { body } = await world.as(admin).post(all, {
        ...platform.registration,
        auth_login_url: `${lms}/auth`,
        frame_origins: [lms],
      });
      await world.as(admin).post(`${all}/${body.id}/deployments`, { deployment_id: "1" });
      root = `${browser.url()}/lti/${id}`;
    });
    afterAll(() => platform.close());
    beforeEach(() => {
      platform.state.launch = { target: `${root}/launch`, now: world.deps.now() };
      platform.state.launched = {};
    });

    /** The LMS's course page, which launches the tool in its frame. */
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

    /** Simulates a browser that blocks third-party cookies. */
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

    it("succeeds by the platform's storage, without any cookies", async () => {
      const { page } = await browser.visit("/healthz");
      await keepNoCookies(page);
      await page.goto(courseAddress({ lti_storage_target: "lti_store" }));
      await tool(page).getByRole("heading", { name: "Not connected yet" }).waitFor();
    });

    it("opens a separate window without both", async () => {
      const { page } = await browser.visit("/healthz");
      await keepNoCookies(page);
      await page.goto(courseAddress());
      await tool(page).getByText("started in another browser").waitFor();
      const opened = page.waitForEvent("popup");
      await tool(page).getByRole("link", { name: "Open it in a new window" }).click();
      const own = await opened;
      await own.getByRole("heading", { name: "Not connected yet" }).waitFor();
    });

    /** Simulates an earlier sign-in. */
    const signInAs = async (page: Page, person: { id: number }) => {
      const pair = await world.deps.tokens.issue(person);
      await page.evaluate(
        ([key, tokens]) => localStorage.setItem(String(key), String(tokens)),
        [`tokens of ${browser.url()}/api/v1`, JSON.stringify(pair)],
      );
      await page.reload();
    };

    it("leads a teacher to connect the course, in a separate window", async () => {
      const role = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor";
      platform.state.launched = { sub: "teacher", name: "Grace Hopper", [`${claim}roles`]: [role] };
      const { page } = await browser.visit(courseAddress());
      const opened = page.waitForEvent("popup");
      await tool(page).getByRole("button", { name: "Connect it in a new window" }).click();
      const own = await opened;
      await own.getByRole("heading", { name: /^Sign in/ }).waitFor();
      await signInAs(own, quiz.teacher);
      await own.getByRole("heading", { name: "Connect a course" }).waitFor();
      await own.getByRole("combobox", { name: "Offering", exact: true }).selectOption({ index: 0 });
      await own.getByRole("combobox", { name: "Use" }).selectOption("this offering");
      expect(await violationsOf(own)).toEqual([]);
      await own.getByRole("button", { name: "Connect", exact: true }).click();
      await own.getByText("is connected").waitFor();
      await own.close();
      // Opening it again keeps the session.
      await page.reload();
      await tool(page).getByRole("heading", { name: quiz.course.title }).waitFor();

      // The LMS's second course gets another offering, and its third a copy of the course.
      const others = [
        ["course-2", "Computing, in the evening", "another offering of its course"],
        ["course-3", "Computing, for others", "a copy of its course, with an offering"],
      ];
      for (const [id, title = "", use = ""] of others) {
        platform.state.launched = { ...platform.state.launched, [`${claim}context`]: { id, title } };
        await page.goto(courseAddress());
        const opening = page.waitForEvent("popup");
        await tool(page).getByRole("button", { name: "Connect it in a new window" }).click();
        const another = await opening;
        await another.getByRole("combobox", { name: "Offering", exact: true }).selectOption({ index: 0 });
        await another.getByRole("combobox", { name: "Use" }).selectOption(use);
        await another.getByRole("button", { name: "Connect", exact: true }).click();
        await another.getByText(`“${title}” in LMS of the campus is connected`).waitFor();
        await another.close();
      }
      const bound = await world.deps.db.execute(sql`
        select count(distinct context.course_offering_id)::int as offerings, count(distinct run.course_id)::int as courses
        from lti_contexts as context join course_offerings as run on run.id = context.course_offering_id`);
      expect(bound.rows).toEqual([{ offerings: 3, courses: 2 }]);
    });

    const claim = "https://purl.imsglobal.org/spec/lti/claim/";

    it("gives the LMS the links that staff pick in the frame", async () => {
      const linking = "https://purl.imsglobal.org/spec/lti-dl/claim/";
      await renewToolKeys(world.deps);
      platform.state.launched = {
        sub: "teacher",
        name: "Grace Hopper",
        [`${claim}message_type`]: "LtiDeepLinkingRequest",
        [`${claim}roles`]: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"],
        [`${linking}deep_linking_settings`]: {
          deep_link_return_url: `${lms}/return?course=1`,
          accept_types: ["ltiResourceLink"],
          accept_multiple: true,
        },
      };
      const { page } = await browser.visit(courseAddress());
      const frame = tool(page);
      await frame.getByRole("heading", { name: "What should the LMS link to?" }).waitFor();
      await frame.getByLabel("The whole course").check();
      await frame.getByLabel(quiz.item.title).check();
      expect(await violationsOf(page)).toEqual([]);
      await frame.getByRole("button", { name: "Add to the LMS" }).click();
      await frame.getByRole("heading", { name: "Links were added" }).waitFor();
      expect(decodeJwt(platform.state.links)[`${linking}content_items`]).toMatchObject([
        { custom: {} },
        { custom: { content_item_id: String(quiz.item.id) } },
      ]);
    });

    it("shows a teacher the class, its gradebook and its discussions in the frame", async () => {
      await make.enrollment((await make.person({ full_name: "Alan Turing" })).id, quiz.offering.id);
      const role = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor";
      platform.state.launched = {
        sub: "teaches-there",
        name: "Mary Shaw",
        [`${claim}roles`]: [role],
        [`${claim}custom`]: { module_id: String(quiz.module.id) },
        [`${claim}resource_link`]: { id: "module" },
      };
      const { page } = await browser.visit(courseAddress());
      const frame = tool(page);
      await frame.getByRole("button", { name: "Show the whole course" }).click();
      await frame.getByRole("link", { name: "Class", exact: true }).click();
      await frame.getByRole("link", { name: "Alan Turing" }).click();
      await frame.getByRole("heading", { name: "Alan Turing" }).waitFor();
      await frame.getByRole("link", { name: /Back to the class/ }).click();
      expect(await violationsOf(page)).toEqual([]);
      await frame.getByRole("link", { name: "Gradebook" }).click();
      await frame.getByRole("rowheader", { name: /Alan Turing/ }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      for (const name of ["Submissions", "Discussions", "Reported"]) {
        await frame.getByRole("link", { name, exact: true }).click();
        await frame.locator("a[aria-current=page]", { hasText: name }).waitFor();
      }
      expect(await frame.getByRole("alert").count()).toBe(0);
      await frame.getByRole("link", { name: "Content" }).click();
      await frame.getByRole("link", { name: quiz.item.title }).click();
      await frame.getByRole("heading", { name: quiz.item.title }).waitFor();
    });

    it("shows its item in the frame without cookies: the tutor's answer streams, and the quiz is passed", async () => {
      world.llm.reset();
      world.llm.script({ chunks: ["Wel", "come to the frame."] });
      platform.state.launched = {
        sub: "learner",
        name: "Ada Lovelace",
        [`${claim}custom`]: { content_item_id: String(quiz.item.id) },
        [`${claim}resource_link`]: { id: "quiz" },
      };
      const { page } = await browser.visit("/healthz");
      await keepNoCookies(page);
      await page.goto(courseAddress({ lti_storage_target: "lti_store" }));
      const frame = tool(page);
      await frame.getByRole("heading", { name: quiz.item.title }).waitFor();
      expect(page.frame("tool")?.url()).toContain(
        `#/courses/${quiz.course.id}/${quiz.offering.id}/${quiz.item.id}`,
      );
      expect(page.frame("tool")?.url()).not.toContain("code=");
      await frame.getByRole("button", { name: "Start with the tutor" }).click();
      await frame.getByText("Welcome to the frame.").waitFor();
      await frame.getByRole("button", { name: "Start", exact: true }).click();
      await frame.getByLabel("Option B", { exact: true }).first().check();
      for (const name of ["Option A", "Option C"]) await frame.getByRole("checkbox", { name }).check();
      await frame.getByLabel("True").check();
      await frame.getByRole("textbox", { name: "How many?" }).fill("9.8");
      await frame.getByRole("textbox", { name: "Who?" }).fill("Newton");
      page.once("dialog", (dialog) => dialog.accept());
      await frame.getByRole("button", { name: "Submit" }).click();
      await frame.getByRole("heading", { name: "5 of 5 points" }).waitFor();
      expect(await page.locator("iframe[name=tool]").getAttribute("height")).not.toBe("400");
      expect(await violationsOf(page)).toEqual([]);
      // The session was only in memory.
      await page.frame("tool")?.evaluate("location.reload()");
      await frame.getByRole("heading", { name: "This launch has ended" }).waitFor();
    });

    it("shows administrators registrations, people, and rejected launches", async () => {
      platform.state.launched = { nonce: "another" };
      const { page } = await browser.visit(courseAddress());
      await tool(page).getByText("belongs to another launch").waitFor();
      const own = await visitAs(world, browser, admin, `administration/${quiz.university.id}/lti`);
      await own.page.getByText("LMS of the campus", { exact: true }).waitFor();
      await own.page.getByText("People of LMS of the campus").click();
      await own.page.getByText(/Ada Lovelace → Ada Lovelace/).waitFor();
      await own.page.getByText("Rejected launches of LMS of the campus").click();
      await own.page.getByText("belongs to another launch").waitFor();
      await own.page.getByText("Deployments of LMS of the campus").click();
      await own.page.getByText("admitted").waitFor();
      expect(await violationsOf(own.page)).toEqual([]);
      await own.page.getByRole("button", { name: "Create a link" }).click();
      await own.page.getByText(/\/register\?key=/).waitFor();
    });

    it("shows teachers the connected course, and disconnects it", async () => {
      const place = `authoring/${quiz.course.id}/offerings/${quiz.offering.id}`;
      const { page } = await visitAs(world, browser, quiz.teacher, place);
      await page.getByText("Learners from there: 1").waitFor();
      page.once("dialog", (dialog) => dialog.accept());
      await page.getByRole("button", { name: "Remove: Mary Shaw" }).click();
      await page.getByText(/^Removed on/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      page.once("dialog", (dialog) => dialog.accept());
      await page.getByRole("button", { name: /^Disconnect/ }).click();
      await page.getByText("No courses are connected.").waitFor();
    });
  },
);
