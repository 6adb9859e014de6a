import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { releaseTaskLease, takeOrRenewTaskLease } from "../../../lib/platform/schedule/tasks.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { hold, openSession, textOf } from "../../api/tutor/chat/support.ts";
import { canJump, openJumpingDatabase } from "../../support/jumping-clock.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const title = "the clock of the machine jumps, of the service and of its database";

describe.skipIf(!canJump)(
  canJump ? title : `${title}: skipped without Debian's postgresql and faketime`,
  () => {
    let jumpDatabase: (minutes: number) => Promise<void>;
    const world = openWorld(
      {},
      {
        async database() {
          const opened = await openJumpingDatabase();
          jumpDatabase = opened.jump;
          return opened.database;
        },
      },
    );
    const make = makersOf(world);

    async function jump(minutes: number): Promise<void> {
      await jumpDatabase(minutes);
      world.setNow(new Date(Date.now() + minutes * 60_000));
    }

    const numberOf = async (statement: string): Promise<number> =>
      Number(Object.values((await world.deps.db.execute(statement)).rows[0] ?? {})[0]);

    beforeEach(async () => {
      await jump(0);
      world.llm.reset();
    });

    describe.each([10, -10])("by %i minutes", (minutes) => {
      it("moves the database's clock too", async () => {
        await jump(minutes);
        const apart = (await numberOf("select extract(epoch from clock_timestamp())")) - Date.now() / 1000;
        expect(Math.round(apart / 60)).toBe(minutes);
      });

      it("people stay signed in, and continue their attempts", async () => {
        const { learner, start, save, submit, right } = await openQuiz(world, { time_limit_seconds: 3600 });
        const client = world.as(learner);
        const { refresh_token } = await world.deps.tokens.issue(learner);
        const { id } = (await start()).body;
        await jump(minutes);
        expect((await client.get("/users/me")).status).toBe(200);
        const headers = { authorization: `Bearer ${refresh_token}` };
        expect((await world.as().post("/auth/refresh", undefined, { headers })).status).toBe(200);
        expect((await save(id, right.slice(0, 2))).status).toBe(200);
        expect((await submit(id, right)).body).toMatchObject({ score_obtained: 5 });
      });

      it("an answer in progress is stored once, and shared", async () => {
        const { item } = await make.topic();
        const [one, other, third] = await Promise.all(
          Array.from({ length: 3 }, async () => openSession(world.as(await make.person()), item.id)),
        );
        const { held, release } = hold();
        // After a jump forward, the learner who waits may take the producer's place.
        world.llm.script({ chunks: ["Well", held, " begun"] }, { chunks: ["Well begun"] });
        const before = world.llm.calls();
        const streamed = one?.say("Start.");
        await expect.poll(() => world.llm.calls()).toBe(before + 1);
        const followed = other?.say("Start.");
        await jump(minutes);
        release();
        for (const reply of [await streamed, await followed]) {
          expect(reply?.status, reply?.text).toBe(200);
          expect(reply && textOf(reply)).toBe("Well begun");
        }
        const calls = world.llm.calls();
        expect(calls - before).toBeLessThanOrEqual(minutes > 0 ? 2 : 1);
        const replayed = await third?.say("Start.");
        expect(replayed && textOf(replayed)).toBe("Well begun");
        expect(world.llm.calls()).toBe(calls);
      });

      it("mail is sent once, at the latest by the clock's own time", async () => {
        const mailbox = mailboxOf(world);
        const email = `${make.unique("jump").toLowerCase()}@example.edu`;
        await world.as().post("/auth/register", { email, password: "a long password", full_name: "Ada" });
        await jump(minutes);
        await mailbox.send();
        await jump(0);
        await mailbox.send();
        expect(mailbox.mails.map(({ to }) => to)).toEqual([email]);
      });

      it("one process has the schedule, and a dead one delays it by the jump at most", async () => {
        const { db } = world.deps;
        const [living, next] = [randomUUID(), randomUUID()];
        expect(await takeOrRenewTaskLease(db, "schedule", living, 30)).toBe(true);
        await jump(minutes);
        const held = [
          await takeOrRenewTaskLease(db, "schedule", living, 30),
          await takeOrRenewTaskLease(db, "schedule", next, 30),
        ];
        expect(held).toEqual([true, false]);
        // As if the holder had died before the jump.
        await jump(0);
        await takeOrRenewTaskLease(db, "schedule", living, 30);
        await jump(minutes);
        const left = await numberOf(
          "select extract(epoch from held_until - now()) from scheduled_tasks where name = 'schedule'",
        );
        expect(left).toBeLessThanOrEqual(30 + Math.max(0, -minutes) * 60);
        await releaseTaskLease(db, "schedule", living);
      });
    });
  },
);
