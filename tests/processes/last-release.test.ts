import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { users } from "../../schema/db/identity/users.ts";
import { lastRelease } from "../../schema/functions/last-release.ts";
import {
  hasLastRelease,
  type LastRelease,
  unpackLastRelease,
} from "../../scripts/build/migrations/last-release.ts";
import type { Person } from "../support/client.ts";
import { mailboxOf } from "../support/mailbox.ts";
import { makersOf } from "../support/makers.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { openWorld } from "../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const title = `the code of ${lastRelease}, beside the schema of this version`;

describe.skipIf(!hasLastRelease)(
  hasLastRelease ? title : `${title}: skipped, git has no such tag yet`,
  () => {
    let release: LastRelease;
    let server: ChildProcess;
    let url: string;

    beforeAll(async () => {
      world.setNow(new Date());
      release = await unpackLastRelease(lastRelease, scratchFolder);
      const { DATABASE_URL, SECRET_KEY } = world.deps.config;
      server = fork(path.join(release.folder, "tests/support/server-process-main.ts"), {
        cwd: release.folder,
        env: {
          ...{ PATH: process.env["PATH"], ENVIRONMENT: "staging", DATABASE_POOL_SIZE: "10" },
          ...{ SECRET_KEY, DATABASE_URL, LLM_PROVIDER: "direct_api", DIRECT_API_KEY: "key-of-the-tests" },
          ...{ DIRECT_API_MODEL: "model-of-the-tests", DIRECT_API_BASE_URL: world.llm.url },
          LOG_FILE_ENABLED: "false",
        },
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const ended = once(server, "exit").then(() =>
        expect.fail("The last release's server ended: see above"),
      );
      [{ url }] = (await Promise.race([once(server, "message"), ended])) as [{ url: string }];
    });

    afterAll(async () => {
      if (server.exitCode === null && server.kill("SIGTERM")) await once(server, "exit");
      release.remove();
    });

    async function call(person: Person, method: string, target: string, body?: object) {
      const headers = {
        authorization: `Bearer ${await world.as(person).token}`,
        "content-type": "application/json",
      };
      const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const reply = await fetch(`${url}/api/v1${target}`, request);
      const text = await reply.text();
      const isJson = reply.headers.get("content-type")?.startsWith("application/json");
      return { status: reply.status, text, body: isJson ? JSON.parse(text) : undefined };
    }

    // Its driver reads 64-bit integers as text, which only development checks.
    it("sends answers of the tutor, stored ones and new ones, and failures", async () => {
      const { item } = await make.topic();
      const told: string[] = [];
      for (let person = 0; person < 2; person += 1) {
        const learner = await make.person();
        const opened = await call(learner, "POST", "/chat/sessions", { content_item_id: item.id });
        expect(opened.status, opened.text).toBe(201);
        const say = (content: string) =>
          call(learner, "POST", `/chat/sessions/${opened.body.id}/messages`, { content });
        const greeted = await say("Start.");
        expect(greeted.text).toMatch(/"done":true,"message_id":"?\d+/);
        told.push(greeted.text.replace(/"?\d+"?}/, "}"));
        expect((await say("Why is that so?")).text).toMatch(/"done":true,"message_id":"?\d+/);
        world.llm.script({ status: 400, times: 2 });
        expect((await say("And what else?")).status).toBe(503);
        // The last release asks twice, this version once.
        world.llm.reset();
        const read = await call(learner, "GET", `/chat/sessions/${opened.body.id}`);
        expect(read.body.messages).toHaveLength(5);
      }
      expect(told[0], "the second was told what was stored for the first").toBe(told[1]);
    });

    it("registers, signs in, enrolls, takes progress in and answers every screen's read", async () => {
      const university = await make.university();
      const course = await make.course(university.id);
      const offering = await make.offering(course);
      const module = await make.module(course.id);
      const item = await make.contentItem(module, university.id);
      const learner = await make.person();
      const account = { email: `${make.unique("last")}@example.edu`, password: "learn together" };
      const replies = [
        await call(learner, "POST", "/auth/register", { ...account, full_name: "Last" }),
        await call(learner, "POST", "/auth/login", account),
        await call(learner, "POST", "/enrollments/", { course_offering_id: offering.id }),
        await call(learner, "PUT", `/progress/content/${item.id}`, { status: "COMPLETED" }),
        await call(learner, "GET", "/users/me/home"),
        await call(learner, "GET", `/courses/${course.id}/offerings/${offering.id}/outline`),
        await call(learner, "GET", `/assessments/offerings/${offering.id}/my-grades`),
        await call(learner, "POST", "/auth/password-reset", { email: account.email }),
        await call(learner, "POST", "/auth/verify-email", { token: "a".repeat(43) }),
        await call(learner, "POST", "/users/me/email", { email: account.email, password: "learn together" }),
        await call(learner, "DELETE", "/users/me", {}),
      ];
      expect(replies.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
      expect(replies.slice(0, 3).map(({ status }) => status)).toEqual([201, 200, 201]);
    });

    it("makes offers to an address, and neither grants nor revokes by an unverified one", async () => {
      const { university, offering } = await scene();
      const admin = await make.holder("university_admin", university.id);
      const account = { email: `${make.unique("typed")}@example.edu`, password: "learn together" };
      await call(admin, "POST", "/auth/register", { ...account, full_name: "Typed" });
      const [typed] = await world.deps.db
        .select({ id: users.id })
        .from(users)
        .where(eq(users.email, account.email));
      if (!typed) throw new Error("nobody was registered");
      world.setNow(new Date());
      const token = await mailboxOf(world).tokenFor(account.email);
      expect(token).not.toBe("");
      const invited = await call(admin, "POST", `/universities/${university.id}/invitations`, {
        ...{ email: account.email, role: "INSTRUCTOR", course_offering_id: offering.id },
      });
      expect([invited.status, invited.body?.status], invited.text).toEqual([201, "OPEN"]);

      const verified = await call(typed, "POST", "/auth/verify-email", { token });
      expect(verified.status, "whose link it is, the last release does not say").toBe(400);
      expect((await call(typed, "POST", "/auth/login", account)).status).toBe(200);
      const given = await world.deps.db.execute(sql`
      select (select count(*) from enrollments where user_id = ${typed.id})::int as places,
             (select count(*) from user_university_roles where user_id = ${typed.id})::int as roles,
             (select email_verified_at is null from users where id = ${typed.id}) as is_unverified,
             (select accepted_at is null from invitations where id = ${invited.body.id}) as is_open`);
      expect(given.rows).toEqual([{ places: 0, roles: 0, is_unverified: true, is_open: true }]);
      expect((await world.as(typed).post("/auth/verify-email", { token })).status).toBe(204);
    });

    it("answers no read of a platform administrator with a 500", async () => {
      const { university, course, offering } = await scene();
      const admin = await make.holder("platform_admin", university.id);
      const targets = [
        ...["/universities/", "/courses/", "/users/", "/admin/audit", "/prompts/", "/feature-requests/"],
        ...["overview", "engagement", "progress", "cache", "assessments", "community", "tutor"].map(
          (report) => `/admin/analytics/${report}`,
        ),
        `/universities/${university.id}/invitations`,
        `/universities/${university.id}/analytics`,
        `/courses/${course.id}/stats`,
        `/assessments/offerings/${offering.id}/gradebook`,
      ];
      const replies = await Promise.all(targets.map((target) => call(admin, "GET", target)));
      expect(
        replies.map(({ status }, at) => [targets[at], status]).filter(([, status]) => Number(status) >= 500),
      ).toEqual([]);
    });

    async function scene() {
      const university = await make.university();
      const course = await make.course(university.id);
      return { university, course, offering: await make.offering(course) };
    }
  },
);
