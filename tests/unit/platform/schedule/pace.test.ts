import { expect, it } from "vitest";
import { createDatabasePollPace, isSignInLogEvent } from "../../../../lib/platform/schedule/pace.ts";

const at = (time: string) => new Date(`2026-03-10T${time}Z`);

/** The minutes from `from` in which it polls, if nothing is ever due. */
function looksIn(pace: ReturnType<typeof createDatabasePollPace>, from: Date, minutes: number): string[] {
  const looks: string[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    const now = new Date(from.getTime() + minute * 60_000 + 17_000);
    if (!pace.isDue(now)) continue;
    looks.push(now.toISOString().slice(11, 16));
    pace.looked(now, undefined);
  }
  return looks;
}

it("reads at the beginning, and then twice an hour without users", () => {
  const looks = looksIn(createDatabasePollPace(), at("02:10:00"), 120);
  expect(looks).toEqual(["02:10", "02:30", "03:00", "03:30", "04:00"]);
});

it("looks in the same minutes as every other function, whenever that began", () => {
  const [one, other] = [
    looksIn(createDatabasePollPace(), at("02:10:00"), 90),
    looksIn(createDatabasePollPace(), at("02:19:00"), 90),
  ];
  expect(one.slice(1)).toEqual(other.slice(1));
});

it("reads each minute while a user is active", () => {
  const pace = createDatabasePollPace();
  pace.looked(at("02:00:17"), undefined);
  pace.wake(at("02:05:00"));
  expect(looksIn(pace, at("02:05:00"), 60)).toHaveLength(36);
});

it("reads when a waiting item is due", () => {
  const pace = createDatabasePollPace();
  pace.looked(at("02:00:17"), at("02:04:00"));
  expect([pace.isDue(at("02:03:59")), pace.isDue(at("02:04:00"))]).toEqual([false, true]);
});

it("distinguishes an event of the log from one of the schedule", () => {
  expect(isSignInLogEvent({ awslogs: { data: "" } })).toBe(true);
  for (const other of [{ "detail-type": "Scheduled Event" }, undefined, null, "awslogs"])
    expect(isSignInLogEvent(other)).toBe(false);
});
