import { describe, expect, it } from "vitest";
import { errorMessageTemplates } from "../../../../lib/error-codes.ts";
import { readOneRoster } from "../../../../lib/integrations/imports/one-roster.ts";
import { parseCsvTables } from "../../../../lib/integrations/imports/table.ts";
import { decodeCodeAndMessage } from "../../../../lib/platform/results/stored-reason.ts";

const csv = (...lines: string[]) => `${lines.join("\n")}\n`;

/** The class with these sessions and courses: its dates, or why it is refused. */
function classOf({ sessions, courses = ["c1,Optics,OPT,2026-01-01"], terms = "t1" }: Given) {
  const files = {
    "academicSessions.csv": csv("sourcedId,title,startDate,endDate,dateLastModified", ...sessions),
    "courses.csv": csv("sourcedId,title,courseCode,dateLastModified", ...courses),
    "classes.csv": csv("sourcedId,courseSourcedId,termSourcedIds", `k1,c1,"${terms}"`),
  };
  const [row] = readOneRoster(parseCsvTables(files));
  const { starts_at, ends_at } = row?.details ?? {};
  return row?.refusal === undefined
    ? { starts_at, ends_at }
    : decodeCodeAndMessage(row.refusal, errorMessageTemplates).code;
}

type Given = { sessions: string[]; courses?: string[]; terms?: string };

const fall = "t1,Fall,2026-09-01,2026-12-20,2026-01-01";
const autumn = { starts_at: "2026-09-01T00:00:00", ends_at: "2026-12-20T23:59:59" };

describe("a class of OneRoster", () => {
  it.each([
    "9/1/2026",
    "01.09.2026",
    "2026-9-1",
    "20260901",
    "2026-09-01T00:00:00Z",
    "2026-02-30",
    "0026-09-01",
    "2026-13-01",
    "soon",
  ])("is refused with the odd date %s", (date) => {
    expect(classOf({ sessions: [`t1,Fall,${date},2026-12-20,`] })).toBe("row_date_invalid");
    expect(classOf({ sessions: [`t1,Fall,2026-01-01,${date},`] })).toBe("row_date_invalid");
  });

  it("may last a day, end on a leap day, or have no dates, and not end before it begins", () => {
    expect(classOf({ sessions: ["t1,Day,2028-02-29,2028-02-29,"] })).toEqual({
      starts_at: "2028-02-29T00:00:00",
      ends_at: "2028-02-29T23:59:59",
    });
    expect(classOf({ sessions: ["t1,Open,,,"] })).toEqual({ starts_at: null, ends_at: null });
    expect(classOf({ sessions: ["t1,Back,2026-09-02,2026-09-01,"] })).toBe("row_session_ends_first");
  });

  it("is refused if lines of its term or course differ, and not if a line is repeated", () => {
    const other = "t1,Fall,2027-09-01,2027-12-20,2026-01-02";
    expect(classOf({ sessions: [fall, fall] })).toEqual(autumn);
    expect(classOf({ sessions: [fall, fall.replace(/2026-01-01$/, "2026-01-02")] })).toEqual(autumn);
    for (const sessions of [
      [fall, other],
      [other, fall],
      [fall, other, fall],
    ])
      expect(classOf({ sessions })).toBe("row_id_ambiguous");
    expect(classOf({ sessions: [fall], courses: ["c1,Optics,OPT,", "c1,Waves,WAV,"] })).toBe(
      "row_id_ambiguous",
    );
    expect(
      classOf({ sessions: [fall, "t2,Spring,2027-01-10,2027-05-01,", "t2,Late,2027-02-10,2027-06-01,"] }),
    ).toEqual(autumn);
  });
});
