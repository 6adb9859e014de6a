import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import type { Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/auth/passwords.ts";
import { contentItems } from "../../../schema/db/content-items.ts";
import { courses } from "../../../schema/db/courses.ts";
import { courseOfferings } from "../../../schema/db/offerings.ts";
import { userUniversityRoles } from "../../../schema/db/roles.ts";
import { users } from "../../../schema/db/users.ts";
import { demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { insertDemonstration } from "../../../scripts/dev/seed/insert.ts";
import { violationsOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, type Size, systemBrowser } from "../../support/browser.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { openWorld } from "../../support/world.ts";
import { certify, setGrading } from "./certify.ts";
import { copyCourse, copyOffering, importQuestions } from "./copy-course.ts";
import { signInAs } from "./demonstration.ts";
import { keepDomains } from "./keep-domains.ts";
import { keepUniversity } from "./keep-university.ts";
import { follow, headed, press, saved } from "./steps.ts";
import {
  createCourse,
  isRefusal,
  offerCourse,
  takeCourse,
  writeItems,
  writeModules,
  writeQuestions,
} from "./write-course.ts";

/** The route of every screen that takes a sign-in, about the first of each thing. */
async function everyRoute(): Promise<string[]> {
  const source = await readFile(new URL("../../../app/src/screens.ts", import.meta.url), "utf8");
  const [signedIn = ""] = source.split("export const openScreens");
  const patterns = [...signedIn.matchAll(/^ {2}"?([\w:/-]*)"?: (?:onDemand|\w+Screen)/gm)];
  expect(patterns.length).toBeGreaterThan(40);
  return patterns.map(([, pattern = ""]) => pattern.replaceAll(/:\w+/g, "1"));
}

const sizes: Size[] = ["desktop", "phone"];

describe.skipIf(!systemBrowser)("a teacher's day in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);
  const teacher = "helena@northgate.example";

  beforeAll(async () => {
    const { db } = world.deps;
    await insertDemonstration(db, await hashPassword(demoPassword, 4), world.deps.now());
    const [learner] = await db.select().from(users).where(eq(users.email, "mina@northgate.example"));
    const [topic] = await db.select().from(contentItems).where(eq(contentItems.title, "What is a signal?"));
    const asked = {
      questionId: "q1",
      question: "Left or right?",
      options: [
        { id: "A", text: "Left" },
        { id: "B", text: "Right" },
      ],
    };
    world.llm.script(
      { chunks: [`Welcome, class.\n\n\`\`\`mcq\n${JSON.stringify(asked)}\n\`\`\``] },
      { chunks: ["Right it is."] },
      { chunks: ["Your own words."] },
    );
    const client = world.as(learner);
    const { body: session } = await client.post("/chat/sessions", { content_item_id: topic?.id });
    for (const content of ["Start.", '{"questionId":"q1","answer":"B"}', "But why?"])
      await client.post(`/chat/sessions/${session.id}/messages`, { content });
    const [instructor] = await db.select().from(users).where(eq(users.email, teacher));
    const author = world.as(instructor);
    const { body: current } = await author.get("/prompts/tutor");
    const prompt = current.prompt.replace("patient, warm and exact", "brief");
    expect((await author.post("/prompts", { name: "tutor", prompt })).status).toBe(201);
  });

  it.each(sizes)("on a %s sees who takes part, and how each learner stands", async (size) => {
    const { page, complaints } = await browser.visit("/app", size);
    await signInAs(page, teacher);
    await page.getByRole("link", { name: "Teaching" }).click();
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("row", { name: /Mina Park/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Mina Park" }).click();
    await page.getByRole("heading", { name: "Mina Park" }).waitFor();
    await page.getByRole("heading", { name: "Signals in time" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("sees on the class's tree where learners go and leave, on every screen, puts an answer right, and purges one", async () => {
    const address = await (async () => {
      const { page } = await browser.visit("/app", "phone");
      await signInAs(page, teacher);
      await page.getByRole("link", { name: "Teaching" }).click();
      await page.getByRole("link", { name: "Introduction to Signals" }).click();
      await page.getByRole("link", { name: "What is a signal?" }).click();
      await page.getByRole("article", { name: "Start" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      return new URL(page.url());
    })();
    const { page } = await browser.visit(address.pathname + address.hash);
    await signInAs(page, teacher);
    const start = page.getByRole("article", { name: "Start" });
    await start.waitFor();
    expect(await start.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/A · Left\s+0% \(0\)/),
      expect.stringMatching(/B · Right\s+100% \(1\)/),
    ]);
    const right = page.getByRole("article", { name: "B · Right" });
    expect(await right.innerText()).toContain("1 left here");
    expect(await violationsOf(page)).toEqual([]);

    await right.getByRole("button", { name: "Edit" }).click();
    await right.getByLabel("The answer that later learners get").fill("Right, since it comes later.");
    await right.getByRole("button", { name: "Save" }).click();
    await right.getByText("edited", { exact: true }).waitFor();
    await right.getByText("Right, since it comes later.").first().waitFor();
    await right.getByText("pinned", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Pinned answers" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("undone", { exact: true }).waitFor();
    await right.getByText("pinned", { exact: true }).waitFor({ state: "detached" });
    page.once("dialog", (dialog) => dialog.accept());
    await start.getByRole("button", { name: "Purge" }).click();
    await page.getByText("No answer of the tutor is stored here yet.").waitFor();
  });

  it("compares versions of a prompt, and sees what moving a label would change", async () => {
    const { page } = await browser.visit("/app#/prompts", "phone");
    await signInAs(page, teacher);
    await page.getByRole("link", { name: "tutor", exact: true }).click();
    await page.locator("ins", { hasText: "brief" }).waitFor();
    await page.locator("del", { hasText: "patient, warm and exact" }).waitFor();
    await page.getByText("Kinds of content").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Put the label there" }).click();
    await page.locator(".fault", { hasText: "Not enough permissions" }).waitFor();
  });
});

describe.skipIf(!systemBrowser)("those who teach and administer, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeAll(async () => {
    const { db } = world.deps;
    // How long a claim holds is shown by the browser's own clock.
    world.setNow(new Date());
    await insertDemonstration(db, await hashPassword(demoPassword, 4), world.deps.now());
  });

  it("grade work, correct, release and finalize grades", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Submissions" }).click();
    const waiting = page
      .getByRole("row", { name: /A spectrum of your own/ })
      .filter({ hasText: "Mina Park" });
    await waiting.waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await waiting.getByRole("link").click();
    await page.getByRole("button", { name: "Claim it for 15 minutes" }).click();
    await page.getByText("Yours until").waitFor();
    await page.getByLabel(/^Points, up to/).fill("7.5");
    await page.getByLabel("Feedback").fill("Say which window you chose.");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the grade" }).click();
    await page.getByText(/^7\.5 of \d+ points$/).waitFor();

    await page.getByRole("link", { name: "← Submissions" }).click();
    await page.getByText("Nothing waits for its grade.").waitFor();
    await page.getByRole("link", { name: "Gradebook" }).click();
    await page.getByRole("button", { name: /^Mina Park, A spectrum of your own: 7\.5/ }).click();
    await page.getByLabel(/^Points, up to/).fill("8");
    await page.getByLabel("Reason, which is recorded").fill("A point overlooked");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Set the grade" }).click();
    await page.getByRole("button", { name: /^Mina Park, A spectrum of your own: 8/ }).waitFor();
    await page.getByRole("button", { name: "Release the grades of A spectrum of your own" }).click();
    await page.getByRole("button", { name: "Take back the grades of A spectrum of your own" }).waitFor();
    await page.getByRole("button", { name: "Make the grades final" }).click();
    await page.getByText(/\d+ grades? would become final/).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: /^Make \d+ grades? final$/ }).click();
    await page.getByText(/\d+ made final/).waitFor();

    expect(complaints).toEqual([]);
  });

  it("announce to a class", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Announcements" }).click();
    await page.getByText("Write an announcement").click();
    await page.getByLabel("Title").fill("No class on Friday");
    await page.getByLabel("Text", { exact: true }).fill("We go on **on Monday**.");
    await page.getByRole("button", { name: "Announce", exact: true }).click();
    await page.getByRole("heading", { name: "No class on Friday" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("hide what was reported", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Reported" }).click();
    await page.getByText("That is not what the discussions are for.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide" }).click();
    await page.getByText("Nothing was reported.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("write a course with content of all six kinds, which a learner takes and has a certificate of", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await createCourse(page, "EE-150");
    await writeModules(page);
    await writeQuestions(page);
    await writeItems(page);
    await offerCourse(page);

    const learner = await browser.visit("/app");
    await signInAs(learner.page, "mina@northgate.example");
    await takeCourse(learner.page);
    expect(learner.complaints).toEqual([]);

    await page.getByRole("link", { name: "Go to the class" }).click();
    await setGrading(page, "A wave of your own");
    await certify(page, "Mina Park");
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    await learner.page.goto(new URL("/app#/certificates", browser.url()).href);
    await learner.page.getByRole("listitem").filter({ hasText: "Waves" }).getByText("revoked").waitFor();
  }, 120_000);

  it("are asked before they leave a form that they have edited, and stay with what they wrote or go", async () => {
    const { page, complaints } = await browser.visit("/app#/authoring");
    await signInAs(page, "helena@northgate.example");
    await follow(page, "Introduction to Signals");
    await follow(page, "Settings");
    // The screen before has a field of that name too.
    await page.getByRole("button", { name: "Save" }).first().waitFor();
    const asked: string[] = [];
    let stays = true;
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await (stays ? dialog.dismiss() : dialog.accept());
    });
    const settings = page.url();
    await page.getByLabel("Title").fill("Signals, rewritten");
    const staysAfter = async (leave: () => Promise<unknown>, times: number, kind = "confirm") => {
      await leave();
      await expect.poll(() => asked).toEqual([...asked.slice(0, times - 1), kind]);
      await expect.poll(() => page.url()).toBe(settings);
      expect(await page.getByLabel("Title").inputValue()).toBe("Signals, rewritten");
    };
    await staysAfter(() => follow(page, "Offerings"), 1);
    await staysAfter(() => page.evaluate("history.back()"), 2);
    await staysAfter(() => press(page, "Sign out"), 3);
    await staysAfter(() => page.close({ runBeforeUnload: true }), 4, "beforeunload");

    stays = false;
    await page.evaluate("history.back()");
    await page.getByRole("heading", { name: "Modules" }).waitFor();
    expect(asked.length).toBe(5);
    await follow(page, "Settings");
    await page.getByRole("button", { name: "Save" }).first().waitFor();
    await page.getByLabel("Title").fill("Introduction to Signals");
    await page.getByRole("button", { name: "Save" }).first().click();
    await saved(page);
    await follow(page, "Offerings");
    await page.getByRole("heading", { name: "A new offering" }).waitFor();
    expect(asked.length).toBe(5);

    // A form within the page, that is put away or gives its place to another.
    stays = true;
    await page.evaluate('location.hash = "#/teaching/1/1/gradebook"');
    const grades = page.locator("button.grade");
    await grades.nth(0).click();
    const reason = page.getByLabel("Reason, which is recorded");
    await press(page, "Cancel");
    await reason.waitFor({ state: "detached" });
    expect(asked.length).toBe(5);
    await grades.nth(0).click();
    await reason.fill("Handed in on paper");
    for (const leave of [() => press(page, "Cancel"), () => grades.nth(1).click()]) await leave();
    await expect.poll(() => asked.length).toBe(7);
    expect(await reason.inputValue()).toBe("Handed in on paper");
    stays = false;
    await press(page, "Cancel");
    await reason.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it("are offered nothing that is for others: a department's administrator, an instructor, and an assistant", async () => {
    const { db } = world.deps;
    const [noor] = await db.select().from(users).where(eq(users.email, "noor@northgate.example"));
    const role = { user_id: noor?.id ?? 0, university_id: 1, department_id: 1 };
    await db.insert(userUniversityRoles).values({ ...role, role: "DEPARTMENT_ADMIN" });
    await world
      .as(noor)
      .post("/universities/1/roles", { email: "helena@northgate.example", role: "TA", department_id: 1 });

    const { page, complaints } = await browser.visit("/app#/administration/1/roles");
    await signInAs(page, "noor@northgate.example");
    await page.getByRole("button", { name: "Revoke: Helena Brandt, Teaching assistant" }).waitFor();
    expect(await page.getByRole("button", { name: /^Revoke/ }).count()).toBe(1);
    const deletes = page.getByRole("button", { name: "Delete the course" });
    const all = await db.select().from(courses).where(eq(courses.university_id, role.university_id));
    const own = all.find(({ department_id }) => department_id === role.department_id)?.id;
    const others = all.find(({ department_id }) => department_id !== role.department_id)?.id;
    await page.evaluate(`location.hash = "#/authoring/${own}/settings"`);
    await deletes.waitFor();
    await page.evaluate(`location.hash = "#/authoring/${others}/settings"`);
    await deletes.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);

    const instructor = await browser.visit(`/app#/authoring/${own}/settings`);
    await signInAs(instructor.page, "helena@northgate.example");
    await instructor.page.getByText("Copy the course").first().waitFor();
    expect(await instructor.page.getByRole("button", { name: "Delete the course" }).count()).toBe(0);
    expect(instructor.complaints).toEqual([]);

    const assistant = await browser.visit("/app#/teaching/1/1/gradebook");
    await signInAs(assistant.page, "kofi@northgate.example");
    await assistant.page.getByRole("button", { name: "Save as CSV" }).waitFor();
    for (const name of ["Make the grades final", "Take back the grades of Weighted grades", "Release all"])
      expect(await assistant.page.getByRole("button", { name, exact: true }).count()).toBe(0);
    expect(await assistant.page.getByRole("link", { name: "Grading", exact: true }).count()).toBe(0);
    expect(await violationsOnEachSize(assistant.page)).toEqual([]);

    // An instructor in one department stays an assistant in the others.
    const [kofi] = await db.select().from(users).where(eq(users.email, "kofi@northgate.example"));
    const first = all.find(({ id }) => id === 1);
    const elsewhere = all.find(({ department_id: its }) => its !== null && its !== first?.department_id);
    const second = { user_id: kofi?.id ?? 0, university_id: 1, department_id: elsewhere?.department_id ?? 0 };
    await db.insert(userUniversityRoles).values({ ...second, role: "INSTRUCTOR" });
    await assistant.page.reload();
    await assistant.page.getByRole("button", { name: "Save as CSV" }).waitFor();
    await assistant.page.waitForLoadState("networkidle");
    expect(await assistant.page.getByRole("button", { name: "Make the grades final" }).count()).toBe(0);
    const [run] = await db
      .select()
      .from(courseOfferings)
      .where(eq(courseOfferings.course_id, elsewhere?.id ?? 0));
    await assistant.page.evaluate(`location.hash = "#/teaching/${elsewhere?.id}/${run?.id}/gradebook"`);
    await assistant.page.getByRole("button", { name: "Make the grades final" }).waitFor();
    expect(assistant.complaints).toEqual([]);
  });

  it("copy an offering with its dates moved and a course, and import questions that are put right first", async () => {
    const { page, complaints } = await browser.visit("/app#/authoring");
    await signInAs(page, "helena@northgate.example");
    await follow(page, "Introduction to Signals");
    await follow(page, "Offerings");
    await page.locator(".lines a").first().click();
    await copyOffering(page);
    await follow(page, "Settings");
    await copyCourse(page, "EE-101", "EE-160");
    await follow(page, "Questions");
    await importQuestions(page);
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);
  });

  it("make a university, change it and delete it", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "priya@northgate.example");
    await keepUniversity(page, "NGU");
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);
  });

  it("grant a university its domains, which its own administrators read", async () => {
    const { page, complaints } = await browser.visit("/app#/administration/1/settings");
    await signInAs(page, "priya@northgate.example");
    await follow(page, "Domains");
    await keepDomains(page);
    await page.getByLabel("Domain", { exact: true }).fill("northgate-staff.example");
    await press(page, "Grant the domain");
    await page.getByText("northgate-staff.example").waitFor();
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([]);

    const reader = await browser.visit("/app#/administration/1/domains");
    await signInAs(reader.page, "edwin@northgate.example");
    await reader.page.getByText("northgate-staff.example").waitFor();
    expect(await reader.page.getByRole("button", { name: /^Take back|^Grant/ }).count()).toBe(0);
    expect(await violationsOnEachSize(reader.page)).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  it("invite and import people, and set terms, limits and identity providers of a university", async () => {
    const mailbox = mailboxOf(world);
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    await page.locator(".cards a").first().click();
    await page.getByRole("link", { name: "Invitations" }).click();
    await page.getByLabel("E-mail").fill("guest@example.edu");
    await page.getByLabel("Role").selectOption("TA");
    await page.getByRole("button", { name: "Send the invitation" }).click();
    await page.getByText("guest@example.edu").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.goto(new URL("/app#/authoring/1/offerings/1", browser.url()).href);
    const teachers = page.getByRole("region", { name: "Who teaches it" });
    await teachers.getByLabel("E-mail").fill("lecturer@example.edu");
    await press(page, "Let this person teach it");
    await teachers.getByText("Offered: the mail is on its way.").waitFor();
    await page.goBack();
    const invited = page.getByRole("listitem").filter({ hasText: "lecturer@example.edu" });
    await invited.getByText("to teach an offering").waitFor();
    const token = await mailbox.tokenFor("guest@example.edu");
    const { page: guest } = await browser.visit(`/app#/accept-invitation?token=${token}`, "phone");
    await guest.getByLabel("Name").fill("Grace Guest");
    await guest.getByLabel("Password").fill("a password of her own");
    expect(await violationsOnEachSize(guest)).toEqual([]);
    await guest.getByRole("button", { name: "Accept the invitation" }).click();
    await guest.getByRole("heading", { name: "Hello, Grace Guest" }).waitFor();
    await guest.getByRole("link", { name: "Teaching" }).waitFor();
    await page.reload();
    await page.getByRole("listitem").filter({ hasText: "guest@example.edu" }).getByText("accepted").waitFor();
    await page.getByRole("link", { name: "Imports" }).click();
    const rows =
      "email,full_name\r\nada@example.edu,Ada Lovelace\r\nnobody,Nobody\r\nlucia@estrecho.example,Lucía\r\n";
    const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(rows) };
    await page.getByLabel("Files").setInputFiles(file);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("people.csv, line 3").waitFor();
    await page.getByText("3 rows: 1 created, 0 changed, 0 unchanged, 1 offered, 1 refused").first().waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Terms" }).click();
    await page.getByText(/^Term of/).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Tutor budget" }).click();
    await page.getByLabel("Answers of a person in a day").fill("50");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("link", { name: "Identity providers" }).click();
    await page.getByRole("heading", { name: "A new provider" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("find people, and suspend and restore them", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await page.locator(".cards a").first().click();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
    const noor = page.getByRole("listitem").filter({ hasText: "Noor Haddad" });
    await expect.poll(() => page.locator(".lines li").count()).toBe(1);
    expect(await violationsOnEachSize(page)).toEqual([]);
    // Accounts are the platform's; here people are suspended.
    expect(await noor.getByRole("button", { name: "Deactivate" }).count()).toBe(0);
    await noor.getByRole("button", { name: "Suspend" }).click();
    await noor.getByText("suspended", { exact: true }).waitFor();
    await noor.getByRole("button", { name: "Restore" }).click();
    await expect.poll(() => noor.getByText("suspended", { exact: true }).count()).toBe(0);

    expect(complaints).toEqual([]);
  });

  it("grant roles, and revoke them", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await page.locator(".cards a").first().click();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
    const noor = page.getByRole("listitem").filter({ hasText: "Noor Haddad" });
    // Whom the list names is given it at once, whether or not their address is confirmed.
    const isNoor = eq(users.email, "noor@northgate.example");
    await world.deps.db.update(users).set({ email_verified_at: null }).where(isNoor);
    await noor.getByRole("link", { name: "Grant a role" }).click();
    const grant = page.getByRole("region", { name: "Grant a role" });
    await grant.getByLabel("Role").selectOption("TA");
    await grant.locator("[name=department_id]").selectOption("Electrical Engineering");
    await grant.getByRole("button", { name: "Grant a role" }).click();
    await page.getByText("Noor Haddad has the role.").waitFor();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
    expect(await violationsOnEachSize(page)).toEqual([]);
    const granted = page.getByRole("listitem").filter({ hasText: "Teaching assistant" });
    await granted.getByText("Electrical Engineering").waitFor();
    await page.getByRole("button", { name: "Revoke: Noor Haddad, Teaching assistant" }).click();
    await expect.poll(() => page.getByRole("button", { name: /Noor Haddad, Teaching/ }).count()).toBe(0);

    expect(complaints).toEqual([]);
  });

  it("keep departments", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await page.locator(".cards a").first().click();
    await page.getByRole("link", { name: "Departments" }).click();
    // The screen before has a field of that name too.
    await headed(page, "Departments");
    await page.getByLabel("Name").last().fill("History");
    await page.getByLabel("Code").last().fill("HIST");
    await page.getByRole("button", { name: "Create the department" }).click();
    const history = page.getByRole("listitem").filter({ hasText: "HIST" });
    await history.getByText("Edit").click();
    await history.getByLabel("Name").fill("Modern History");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await history.getByRole("button", { name: "Save" }).click();
    await history.getByText("Modern History").waitFor();
    await history.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => history.count()).toBe(0);
    // What was pressed is gone: the focus went on to what stands beside it.
    expect(await page.evaluate("document.activeElement !== document.body")).toBe(true);

    expect(complaints).toEqual([]);
  });

  it("keep the keys of the LLM, which nobody reads again", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await page.locator(".cards a").first().click();
    await page.getByRole("link", { name: "Keys of the LLM" }).click();
    await page.getByLabel("Access key id").fill("AKIAEXAMPLE");
    await page.getByLabel("Secret access key").fill("a-secret-that-nothing-shows");
    await page.getByRole("button", { name: "Store new keys" }).click();
    await page.getByText("stored here").waitFor();
    expect(await page.getByText("…MPLE").count()).toBe(1);
    expect(await page.content()).not.toContain("a-secret-that-nothing-shows");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.getByText("stored here").count()).toBe(0);

    expect(complaints).toEqual([]);
  });

  it("read who did what", async () => {
    const people = await world.deps.db.select().from(users);
    const [edwin, noor] = ["edwin", "noor"].map((name) =>
      people.find(({ email }) => email === `${name}@northgate.example`),
    );
    const administrator = world.as(edwin);
    const roles = "/universities/1/roles";
    const { body: granted } = await administrator.post(roles, { user_id: noor?.id, role: "TA" });
    expect((await administrator.delete(`${roles}/${granted.id}`)).status).toBe(204);

    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    await page.locator(".cards a").first().click();
    // Each line of the list below has a link of that name, too.
    await page.getByRole("link", { name: "Audit log" }).first().click();
    const revoked = page.getByRole("row", { name: /Role revoked Edwin Osei .*Noor Haddad role: ta/ }).first();
    await revoked.waitFor();
    await page
      .getByRole("row", { name: /Role granted/ })
      .first()
      .waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("What was done").selectOption("role.revoked");
    await expect.poll(() => page.getByRole("row", { name: /Role granted/ }).count()).toBe(0);
    await revoked.getByRole("link", { name: "Edwin Osei" }).click();
    await page.getByRole("link", { name: "Show everyone's" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("are told on every screen when the service fails or the network is gone, and wait for nothing", async () => {
    const { page } = await browser.visit("/app");
    await signInAs(page, "priya@northgate.example");
    await page.getByRole("heading", { name: /^Hello/ }).waitFor();
    const routes = await everyRoute();
    const go = (route: string) =>
      page.evaluate(`new Promise((drawn) => {
        addEventListener("hashchange", () => setTimeout(drawn), { once: true });
        location.hash = "#/${route}";
      })`);
    const fates = [
      ["The service failed (503)", (route: Route) => route.fulfill({ status: 503, json: { detail: "no" } })],
      ["The service cannot be reached.", (route: Route) => route.abort()],
    ] as const;
    for (const [words, meet] of fates) {
      await page.route("**/api/v1/**", meet);
      for (const route of routes) {
        await go(route);
        await page.getByText(words).first().waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        await page.getByText("…", { exact: true }).first().waitFor({ state: "detached" });
      }
      await page.unroute("**/api/v1/**");
    }
  });
});
