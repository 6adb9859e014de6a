import type { makersOf } from "../../../../support/makers.ts";
import { at } from "./calendar.ts";

/** Sign-up times and stored streaks: days, last active date, time zone. */
export function signUp(make: ReturnType<typeof makersOf>) {
  const accounts: [signedUp: string, streak: number, last: string | null, time_zone?: string][] = [
    ["02-10 10:00", 0, null],
    ["02-10 10:00", 1, "2026-03-15"],
    ["02-10 10:00", 5, "2026-03-14"],
    ["02-10 10:00", 7, "2026-03-13"], // missed a day
    ["02-10 10:00", 40, "2026-03-15"],
    ["02-10 10:00", 3, "2026-03-15", "Pacific/Auckland"], // it is already the 16th there
    ["03-02 00:00", 9, "2026-03-14", "Pacific/Auckland"], // missed a day there
    ["03-02 12:00", 14, "2026-03-14", "America/Los_Angeles"],
    ["03-02 23:59", 100, "2026-03-15"],
    ["03-05 10:00", 0, null],
    ["03-14 23:59", 0, null],
    ["03-15 00:00", 0, null],
  ];
  return Promise.all(
    accounts.map(([signedUp, current_streak_days, last_activity_date, time_zone = "UTC"]) =>
      make.person({ created_at: at(signedUp), current_streak_days, last_activity_date, time_zone }),
    ),
  );
}
