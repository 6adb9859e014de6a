import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/auth/passwords.ts";
import { contentItems } from "../../../schema/db/content-items.ts";
import { courseOfferings } from "../../../schema/db/offerings.ts";
import { users } from "../../../schema/db/users.ts";
import { demoAccounts, demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { insertDemonstration } from "../../../scripts/dev/seed/insert.ts";
import { faultsOf, faultsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { openWorld } from "../../support/world.ts";

const question = (number: number) => `

\`\`\`mcq
{"questionId": "q${number}", "question": "Which way does it move?", "options": [{"id": "A", "text": "To the left"}, {"id": "B", "text": "To the right"}]}
\`\`\``;

const accounts = demoAccounts.map(({ email, name, role }) => ({
  ...{ email, role },
  full_name: name,
  password: demoPassword,
}));

describe.skipIf(!systemBrowser)("a learner's day in a browser", () => {
  const world = openWorld({ DEMONSTRATION_ACCOUNTS: JSON.stringify(accounts) });
  const browser = openBrowser(world);

  beforeAll(async () => {
    const { db } = world.deps;
    await insertDemonstration(db, await hashPassword(demoPassword, 4), world.deps.now());
    // A film that the tests would have to fetch from elsewhere.
    await db.update(contentItems).set({ data_json: sql`data_json - 'url'` }).where(sql`data_json ? 'url'`);
  });

  async function signIn(page: Page, email: string) {
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(demoPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: /^Hello/ }).waitFor();
  }

  const openTopic = async (page: Page, course: string, topic: string) => {
    await page.getByRole("link", { name: course, exact: true }).click();
    await page.getByRole("link", { name: topic, exact: true }).click();
    await page.getByRole("heading", { name: topic, level: 1 }).waitFor();
  };

  const focused = (page: Page) => page.evaluate<string>("document.activeElement?.textContent");

  it.each<[Size, string]>([
    ["phone", "written live"],
    ["desktop", "from the class"],
  ])(
    "on a %s reads a topic and walks the class's path, each screen without a fault",
    async (size, source) => {
      world.llm.reset();
      const first = [
        { chunks: ["Wel", "come to **signals**: $x(t)$.", question(1)] },
        { chunks: ["To the right, indeed.", question(2)] },
      ];
      const calls = world.llm.calls();
      world.llm.script(...(size === "phone" ? first : []), { chunks: ["That is your own question."] });
      const { page, complaints } = await browser.visit("/", size);
      await page.getByRole("heading", { name: /^Sign in/ }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      if (size === "desktop") await page.getByRole("button", { name: "Learner" }).click();
      else await signIn(page, "noor@northgate.example");
      await page.getByRole("link", { name: "Go on: What is a signal?" }).waitFor();
      expect(await focused(page)).toMatch(/^Hello, /);
      expect(await faultsOf(page)).toEqual([]);

      await openTopic(page, "Introduction to Signals", "What is a signal?");
      await page.locator("math").first().waitFor();
      await page.getByRole("button", { name: "Mark as done" }).click();
      await page.getByText("✓ Done").waitFor();

      await page.getByRole("button", { name: "Start with the tutor" }).click();
      await page.getByRole("button", { name: "B To the right" }).click();
      await page.getByText("To the right, indeed.").waitFor();
      await page.getByRole("group", { name: "Which way does it move?" }).waitFor();
      expect(await page.locator(".answer .badge").allInnerTexts()).toEqual([
        expect.stringContaining(source),
        expect.stringContaining(source),
      ]);
      expect(await page.locator(".answer strong").innerText()).toBe("signals");
      expect(await page.locator(".path .on").count()).toBe(2);
      expect(await page.getByText("mcq").count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);

      if (size === "phone") {
        await page.getByRole("button", { name: "This answer helped" }).first().click();
        await page.locator("button[aria-pressed=true]").waitFor();
      } else {
        await page.getByRole("button", { name: "Open as a classmate" }).click();
        await page.getByRole("heading", { name: "Noor Haddad" }).waitFor();
        await page.getByText("of 2 answers made no call of the model").waitFor();
        expect(await page.locator(".counter strong").innerText()).toBe("2");
        expect(world.llm.calls()).toBe(calls);
        await page.getByRole("button", { name: "Close" }).click();
      }

      await page.getByLabel("Ask in your own words").fill("But why?");
      await page.keyboard.press("Enter");
      await page.getByText("You have left the class's path.").waitFor();
      expect(await page.locator(".path .off").count()).toBe(1);
      expect(await faultsOf(page)).toEqual([]);
      await page.reload();
      await page.getByText("That is your own question.").waitFor();
      expect(complaints).toEqual([]);
    },
  );

  it("takes up an answer after a reload, and keeps what was said when it is stopped", async () => {
    world.llm.reset();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.llm.script(
      { chunks: ["Hello.", question(1)] },
      { chunks: ["Half of an answer", promise, " and more"] },
    );
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "The idea of the Fourier series");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "A To the left" }).waitFor();
    await page.getByLabel("Ask in your own words").fill("Tell me more");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Half of an answer").waitFor();
    await page.reload();
    await page.locator(".receiving", { hasText: "Half of an answer" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped by you").waitFor();
    expect(await page.locator(".receiving").count()).toBe(0);
    expect(await page.getByText("Half of an answer").count()).toBe(1);
    resolve();
  });

  it("says why an answer broke off, and asks again", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["Half"], failure: "error event", times: 3 }, { chunks: ["A whole answer."] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Hear it");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByText("The answer did not come to its end.").waitFor();
    expect(await page.locator(".receiving").count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("A whole answer.").waitFor();
  });

  it("takes a quiz against the clock: what is answered is saved, and graded in the end", async () => {
    const limit = sql`jsonb_set(data_json, '{time_limit_seconds}', '600')`;
    await world.deps.db
      .update(contentItems)
      .set({ data_json: limit })
      .where(eq(contentItems.title, "Check: time shifts"));
    const before = world.deps.now();
    // The clock that is left is counted by the browser's own, which may stand behind the end of the term.
    await world.deps.db
      .update(courseOfferings)
      .set({ term_id: null, ends_at: null })
      .where(sql`course_id = (select id from courses where title = 'Introduction to Signals')`);
    world.setNow(new Date());
    const { page } = await browser.visit("/app", "phone");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Check: time shifts");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    expect(await page.getByRole("timer").innerText()).toMatch(/^(10|9):\d\d$/);
    await page.getByLabel("0.02 s", { exact: true }).check();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Continue" }).click();
    expect(await page.getByLabel("0.02 s", { exact: true }).isChecked()).toBe(true);
    await page.getByLabel("True").check();
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByRole("heading", { name: "2 of 3 points" }).waitFor();
    await page.getByText("Right: x(t − 2)").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    world.setNow(before);
  });

  it("hands in work, reads what it is worth, takes notes, asks and repeats, each screen without a fault", async () => {
    const { page, complaints } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Weighted grades");
    await page.getByText("Rounding belongs in the summary alone.").waitFor();
    await page.getByText(/^17\.5 of \d+ points$/).waitFor();
    await page.getByText("My notes").click();
    await page.getByLabel("A new note").fill("An empty list has no mean.");
    await page.getByRole("button", { name: "Add the note" }).click();
    await page.locator(".notes .prose", { hasText: "An empty list has no mean." }).waitFor();
    await page.getByText("Hand in another attempt").click();
    await page.getByLabel("Text", { exact: true }).fill("Rounded in the summary alone.");
    await page.getByLabel("Links, one on a line").fill("https://files.northgate.example/mina/again.py");
    await page.getByRole("button", { name: "Hand in", exact: true }).click();
    await page.getByText("Attempt 2").waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);

    await page.getByRole("link", { name: "← Programming with Python" }).click();
    await page.getByRole("link", { name: "Grades", exact: true }).click();
    await page
      .getByRole("row", { name: /Weighted grades/ })
      .getByText(/^17\.5 \/ \d+$/)
      .waitFor();
    expect(await focused(page)).toBe("My grades");
    expect(await faultsOnEachSize(page)).toEqual([]);

    await page.getByRole("link", { name: "Flashcards" }).click();
    await page.getByText("2 cards are due.").waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Review" }).first().click();
    for (const card of ["Card 1 of 2", "Card 2 of 2"]) {
      await page.getByText(card).waitFor();
      await page.getByRole("button", { name: "Show the answer" }).click();
      await page.getByRole("button", { name: "Good" }).waitFor();
      if (card === "Card 1 of 2") expect(await faultsOnEachSize(page)).toEqual([]);
      await page.keyboard.press("3");
    }
    await page.getByText("2 cards reviewed.").waitFor();

    await page.getByRole("link", { name: /^Notifications, \d+ unread/ }).click();
    await page
      .getByRole("link", { name: /Weighted grades/ })
      .first()
      .waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    const unread = await page.getByRole("button", { name: "Mark as read" }).count();
    await page.getByRole("button", { name: "Mark as read" }).first().click();
    await expect.poll(() => page.getByRole("button", { name: "Mark as read" }).count()).toBe(unread - 1);
    // The button is gone: the focus is on what is left of its line.
    expect(await page.evaluate("document.activeElement.closest('.notifications li') !== null")).toBe(true);
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByRole("link", { name: "Notifications", exact: true }).waitFor();

    await page
      .getByRole("link", { name: /replied in/ })
      .first()
      .click();
    await page.getByText("the answer", { exact: true }).waitFor();
    await page.getByLabel("Your reply").fill("Now I see it.");
    await page.getByRole("button", { name: "Post", exact: true }).click();
    await page.locator(".post", { hasText: "Now I see it." }).waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Mina Park" }).click();
    await page.getByRole("heading", { name: "My account" }).waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Feature requests" }).click();
    await page.getByLabel("Title").fill("Dark diagrams");
    await page
      .getByLabel("What it should do, and for whom")
      .fill("Diagrams that follow the system's colors.");
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.getByRole("heading", { name: "Dark diagrams" }).waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says what they think of a course, and reports what another one wrote", async () => {
    const { page, complaints } = await browser.visit("/app#/catalog");
    await page.getByLabel("E-mail").fill("noor@northgate.example");
    await page.getByLabel("Password").fill(demoPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("link", { name: "Programming with Python" }).click();
    await page.getByText("Reviews of the course").click();
    await page.getByLabel("Rating").selectOption("4");
    await page.getByLabel("In words, which others read").fill("Clear, and never boring.");
    await page.getByRole("button", { name: "Send the review" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
    await page.getByRole("button", { name: "Report" }).first().click();
    await page.getByLabel("Why should the staff look at it?").fill("It names another learner.");
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Report" }).first().click();
    await page.getByText("Reported. The staff will look at it.").waitFor();
    await page.reload();
    await page.getByText("Reviews of the course").click();
    await expect
      .poll(() => page.getByLabel("In words, which others read").inputValue())
      .toBe("Clear, and never boring.");
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("button", { name: "Send the review" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("finds a certificate, which whoever is given its address can verify", async () => {
    const { page } = await browser.visit("/app#/certificates");
    await page.getByLabel("E-mail").fill("noor@northgate.example");
    await page.getByLabel("Password").fill(demoPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Programming with Python" }).waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    for (const name of ["PDF to print", "Verification page", "Open Badge"]) {
      const address = await page.getByRole("link", { name }).getAttribute("href");
      expect((await fetch(address ?? "")).status, name).toBe(200);
    }
  });

  it("registers, confirms the address, and sets a new password by the link of a mail", async () => {
    const mailbox = mailboxOf(world);
    const email = "rosalind@example.edu";
    const { page } = await browser.visit("/app");
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Name").fill("Rosalind Elsie");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill("a first password");
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Hello, Rosalind Elsie" }).waitFor();
    await page.goto(`${browser.url()}/app#/verify-email?token=${await mailbox.tokenFor(email)}`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("The address is confirmed.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Go on" }).click();

    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send me the link" }).click();
    await page.getByText("a mail is on its way").waitFor();
    expect(await faultsOnEachSize(page)).toEqual([]);
    await page.goto(`${browser.url()}/app#/reset-password?token=${await mailbox.tokenFor(email)}`);
    await page.getByLabel("New password").fill("a second password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("The new password holds.").waitFor();
    const signedIn = await world.as().post("/auth/login", { email, password: "a second password" });
    expect(signedIn.status).toBe(200);
  });

  it("comes back from an identity provider with a code that this tab alone can exchange", async () => {
    const { page } = await browser.visit("/app?university=1#/catalog");
    const [mina] = await world.deps.db.select().from(users).where(eq(users.email, "mina@northgate.example"));
    let challenge = "";
    await page.route("**/auth/oidc/providers*", (route) =>
      route.fulfill({ json: [{ name: "campus", label: "Campus account" }] }),
    );
    await page.route("**/auth/oidc/campus/login*", (route) => {
      const asked = new URL(route.request().url()).searchParams;
      challenge = asked.get("code_challenge") ?? "";
      const back = (asked.get("redirect_to") ?? "").replace("#", "&sign_in_code=a-code#");
      return route.fulfill({ status: 302, headers: { location: back } });
    });
    await page.route("**/auth/oidc/tokens", async (route) => {
      const { code, code_verifier } = route.request().postDataJSON();
      const isOurs = createHash("sha256").update(code_verifier).digest("base64url") === challenge;
      if (code !== "a-code" || !isOurs)
        return route.fulfill({ status: 400, json: { detail: "Begin again" } });
      return route.fulfill({ json: await world.deps.tokens.issue({ id: mina?.id ?? 0 }) });
    });
    await page.reload();
    await page.getByRole("button", { name: "Sign in with Campus account" }).click();
    await page.getByRole("heading", { name: "Catalog" }).waitFor();
    expect(new URL(page.url()).search).toBe("?university=1");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${browser.url()}/app?sign_in_code=a-code`);
    await page.getByText("The sign-in did not come to its end.").waitFor();
  });

  it("enrolls in a course, and waits for a place in a full one", async () => {
    const { db } = world.deps;
    await db
      .update(courseOfferings)
      .set({ capacity: 1 })
      .where(sql`course_id = (select id from courses where code = 'FIS-110')`);
    const enroll = async (email: string) => {
      const { page } = await browser.visit("/app#/catalog");
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(demoPassword);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("searchbox").fill("física");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("button", { name: "Enroll in Introducción a la física" }).click();
      return page;
    };
    await (await enroll("mina@northgate.example")).getByText("You take this course").waitFor();
    const waiting = await enroll("noor@northgate.example");
    await waiting.getByText("On the waiting list, number 1").waitFor();
    expect(await faultsOf(waiting)).toEqual([]);
    await waiting.getByRole("link", { name: "My courses" }).click();
    await waiting.getByRole("button", { name: "Leave the waiting list" }).click();
    await expect.poll(() => waiting.getByText("On the waiting list").count()).toBe(0);
  });

  it("shares a conversation with people who are not signed in, until that ends", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["Shared words."] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "A spectrum of your own");
    await page.getByText("What is judged").waitFor();
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByRole("button", { name: "Share" }).click();
    const link = new URL(await page.getByLabel("Whoever has this link").inputValue());
    const path = link.pathname + link.hash;
    const { page: stranger } = await browser.visit(path);
    await stranger.getByText("Shared words.").waitFor();
    expect(await stranger.getByText("Mina").count()).toBe(0);
    expect(await faultsOf(stranger)).toEqual([]);
    await page.getByRole("button", { name: "End sharing" }).click();
    await page.getByRole("button", { name: "Share" }).waitFor();
    const { page: late } = await browser.visit(path);
    await late.getByRole("alert").waitFor();
  });

  it("shows what teachers and models write, and lets none of it act", async () => {
    const attack = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>
      <a href="javascript:document.title='hacked'">link</a> <form action="/x"><button>send</button></form>`;
    await world.deps.db
      .update(contentItems)
      .set({ data_json: { blocks: [{ type: "paragraph", text: `Read this. ${attack}` }] } })
      .where(eq(contentItems.title, "Parameters and return values"));
    world.llm.reset();
    world.llm.script({ chunks: [`Told by the tutor. ${attack}`] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Programming with Python", "Parameters and return values");
    await page.getByText("Read this.").waitFor();
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByText("Told by the tutor.").waitFor();
    await expect.poll(() => page.locator(".prose a").count()).toBe(2);
    expect(await page.locator(".prose [onerror], .prose script, .prose [href], .prose form").count()).toBe(0);
    expect(await page.title()).not.toContain("hacked");
  });

  it("stays signed in through a reload and an expired token, and signs out in every tab", async () => {
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.evaluate(`
      for (const [key, kept] of Object.entries(localStorage)) {
        const tokens = JSON.parse(kept);
        if (tokens.access_token) localStorage.setItem(key, JSON.stringify({ ...tokens, access_token: "expired" }));
      }`);
    await page.reload();
    await page.getByRole("heading", { name: "Hello, Mina Park" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await focused(page)).toMatch(/^Sign in/);
  });

  it("says what is wrong when the network or the service fails, and goes on when it is back", async () => {
    const { page } = await browser.visit("/app");
    await page.getByLabel("E-mail").fill("mina@northgate.example");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Incorrect email or password").waitFor();
    await signIn(page, "mina@northgate.example");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Catalog" }).click();
    await page.getByText("There is no network.").first().waitFor();
    expect(await page.locator(".skeleton").count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Digital Signal Processing" }).waitFor();
    await page.route("**/users/me/home*", (route) =>
      route.fulfill({ status: 503, json: { detail: "The database cannot be reached" } }),
    );
    await page.getByRole("link", { name: "My courses" }).click();
    await page.getByText("The service failed (503).").waitFor();
    await page.unroute("**/users/me/home*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Introduction to Signals" }).waitFor();
  });

  it("speaks German to whoever wants it, and still after a reload", async () => {
    const { page } = await browser.visit("/app");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
  });
});
