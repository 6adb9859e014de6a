import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { certificateStateSql } from "../../../../lib/assessment/certificates/certificates.ts";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

/* Ada is in offering 1. */
beforeEach(async () => {
  await rows("update course_offerings set capacity = null");
  await rows("select enroll(1, 1, '2026-03-01')");
});

const complete = (source = "result") =>
  rows(`update enrollments set status = 'completed', completion_source = '${source}', completed_at = '2026-03-05'
    where user_id = 1`);
const standing = () =>
  rows(`select printed_name, course_title, university_name, completed_at::date::text, issued_at::date::text,
               expires_at::date::text from certificates where replaced_at is null`);
const printed = {
  printed_name: "Ada",
  course_title: "Difference engines",
  university_name: "Analytical College",
  completed_at: "2026-03-05",
  issued_at: "2026-03-05",
  expires_at: null,
};
const setting = (columns: string, values: string) =>
  rows(`insert into certificate_settings (course_offering_id, ${columns}) values (1, ${values})`);

it("certificate_code has 128 bits, other ones each time", async () => {
  const codes = await column("select generate_certificate_code() from generate_series(1, 100)");
  expect(new Set(codes).size).toBe(100);
  expect(codes.filter((code) => !/^[0-9a-f]{32}$/.test(String(code)))).toEqual([]);
});

describe("enrollments_after_write", () => {
  it.each(["result", "staff"])("issues a certificate with a completion by %s, once", async (source) => {
    await complete(source);
    expect(await standing()).toEqual([printed]);
    await rows("update enrollments set status = 'active'");
    await complete(source);
    expect(await standing()).toEqual([printed]);
  });

  it("ignores a self-reported completion until staff confirm it", async () => {
    await complete("self");
    expect(await standing()).toEqual([]);
    await rows("update enrollments set completion_source = 'staff'");
    expect(await standing()).toEqual([printed]);
  });

  it("leaves it to the staff if the offering does", async () => {
    await setting("issuance", "'by_staff'");
    await complete();
    expect(await standing()).toEqual([]);
  });

  it("does not restore a revoked certificate", async () => {
    await complete();
    await rows("select revoke_certificate(id, 'Copied', '2026-03-06') from certificates");
    await rows("update enrollments set status = 'active'");
    await complete();
    expect(await column("select revocation_reason from certificates")).toEqual(["Copied"]);
  });

  it("keeps its printed text after all changes of names", async () => {
    await complete();
    await rows("update users set full_name = 'Countess' where id = 1");
    await rows("update courses set title = 'Engines'");
    await rows("update universities set name = 'College'");
    expect(await standing()).toEqual([printed]);
  });
});

it("issue_missing_certificate_of_completion returns the certificate, and nothing if one exists or without a completion", async () => {
  const issue = () =>
    column("select printed_name from issue_missing_certificate_of_completion(1, 1, '2026-03-07', '{}')");
  await setting("issuance", "'by_staff'");
  expect(await issue()).toEqual([]);
  await complete();
  expect([await issue(), await issue()]).toEqual([["Ada"], []]);
});

describe("issue_certificate_by_staff", () => {
  const issue = (given = {}) =>
    rows(`select refusal, is_new, (certificate).printed_name, (certificate).expires_at::date::text
      from issue_certificate_by_staff(1, 1, '2026-03-07', '${JSON.stringify(given)}')`);

  it("issues to a person who has completed, with the given values, and returns the existing one from then on", async () => {
    await setting("issuance", "'by_staff'");
    expect(await issue()).toMatchObject([{ refusal: "not completed", is_new: false }]);
    await complete();
    const given = { printed_name: "Ada King", expires_at: "2027-01-01T00:00:00Z" };
    const issued = { refusal: null, printed_name: "Ada King", expires_at: "2027-01-01" };
    expect(await issue(given)).toEqual([{ ...issued, is_new: true }]);
    expect(await issue()).toEqual([{ ...issued, is_new: false }]);
    await rows("select revoke_certificate(id, 'Copied', '2026-03-08') from certificates");
    expect(await issue()).toMatchObject([{ refusal: "revoked", is_new: false }]);
  });

  it("uses certificate_expiry: the setting's, unless it is given, and no expiry if null", async () => {
    await setting("issuance, valid_for_days", "'by_staff', 10");
    const expiry = (given: string) =>
      value(`select certificate_expiry(1, '2026-03-07', '${given}')::date::text`);
    expect(await expiry("{}")).toBe("2026-03-17");
    expect(await expiry('{"expires_at": null}')).toBe(null);
    expect(await expiry('{"expires_at": "2030-01-01T00:00:00Z"}')).toBe("2030-01-01");
    expect(await value("select certificate_expiry(2, '2026-03-07', '{}')")).toBe(null);
  });
});

describe("a certificate", () => {
  const revoke = () =>
    rows(`select refusal, is_new, (certificate).revocation_reason as reason
      from certificates as one, revoke_certificate(one.id, 'Copied', '2026-03-06')`);
  const reissue = (given = {}) =>
    rows(`select refusal, is_new, (certificate).printed_name as name, (certificate).replaces_id is not null as replaces
      from reissue_certificate((select min(id) from certificates), '2026-03-08', '${JSON.stringify(given)}')`);

  beforeEach(() => complete());

  it("is revoked once", async () => {
    expect(await revoke()).toEqual([{ refusal: null, is_new: true, reason: "Copied" }]);
    expect(await revoke()).toEqual([{ refusal: null, is_new: false, reason: "Copied" }]);
  });

  it("is replaced once, by one that prints today's names unless one is given, and is not revoked any more", async () => {
    await rows("update users set full_name = 'Ada King' where id = 1");
    expect(await reissue()).toEqual([{ refusal: null, is_new: true, name: "Ada King", replaces: true }]);
    expect(await reissue()).toMatchObject([{ refusal: "replaced", is_new: false }]);
    const states = await rows(
      sql`select id, ${certificateStateSql(new Date("2026-03-09"))} as state from certificates order by id`,
    );
    expect(states.map(({ state }) => state)).toEqual(["REPLACED", "VALID"]);
    const [first] = states;
    expect(
      await rows(`select refusal, is_new from revoke_certificate(${first?.["id"]}, 'Late', '2026-03-09')`),
    ).toEqual([{ refusal: "replaced", is_new: false }]);
  });

  it("that was revoked stays revoked after a reissue", async () => {
    await revoke();
    expect(await reissue({ printed_name: "A. King" })).toMatchObject([{ name: "A. King", is_new: true }]);
    expect(
      await column(sql`select ${certificateStateSql(new Date("2026-03-09"))} from certificates order by id`),
    ).toEqual(["REVOKED", "VALID"]);
  });

  it("expires at the moment that it says", async () => {
    await rows("update certificates set expires_at = '2026-03-10'");
    const at = (moment: string) =>
      value(sql`select ${certificateStateSql(new Date(moment))} from certificates`);
    expect([await at("2026-03-09T23:59:59Z"), await at("2026-03-10")]).toEqual(["VALID", "EXPIRED"]);
  });

  it("stays with what is printed on it alone, where an erased account keeps it", async () => {
    await rows(`update certificates set metadata_json = '{"note": "Ada likes looms"}'`);
    await rows(`select erase_account(1, 0, true, '{"at": "2026-03-10T12:00:00Z"}')`);
    expect(await rows("select user_id, printed_name, metadata_json from certificates")).toEqual([
      { user_id: null, printed_name: "Ada", metadata_json: null },
    ]);
  });

  it("counts in reports when it is issued and when it is revoked, and not again when it is reissued", async () => {
    await revoke();
    await reissue();
    expect(
      await rows(
        "select measure, utc_day(moment)::text as day from assessment_facts where moment is not null order by 1",
      ),
    ).toEqual([
      { measure: "certificates_issued", day: "2026-03-05" },
      { measure: "certificates_revoked", day: "2026-03-06" },
    ]);
  });
});
