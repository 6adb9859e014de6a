import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, refusal, addUniversity } = openSession();

const names = () => column("select term_name from course_offerings order by id");

beforeEach(async () => {
  await rows(`insert into terms (university_id, name, starts_on, ends_on) values
    (1, 'Autumn', '2026-09-01', '2026-12-18'), (1, 'Spring', '2027-02-01', '2027-06-18')`);
});

const ids = () => column("select id from terms order by id");

describe("set_term_name_of_offering and rename_term_in_offerings", () => {
  it("name an offering after its term, unless it has its own name", async () => {
    const [autumn, spring] = await ids();
    await rows(
      `update course_offerings set term_id = ${autumn}, term_name = case id when 2 then 'Block A' end where id < 3`,
    );
    expect(await names()).toEqual(["Autumn", "Block A", null]);
    await rows(`update course_offerings set term_id = ${spring} where id < 3`);
    expect(await names()).toEqual(["Spring", "Block A", null]);
    await rows(`update terms set name = 'Spring 2027' where id = ${spring}`);
    expect(await names()).toEqual(["Spring 2027", "Block A", null]);
  });

  it("keep the name of an offering that leaves its term", async () => {
    const [autumn] = await ids();
    await rows(`update course_offerings set term_id = ${autumn} where id = 1`);
    await rows("update course_offerings set term_id = null where id = 1");
    expect(await names()).toEqual(["Autumn", null, null]);
  });
});

it("an offering is of no other university's term, and a term with offerings is not deleted", async () => {
  await addUniversity();
  const other = await column(`insert into terms (university_id, name, starts_on, ends_on)
    select max(id), 'Autumn', '2026-09-01', '2026-12-18' from universities returning id`);
  const named = (id: unknown) => `update course_offerings set term_id = ${id} where id = 1`;
  expect((await refusal(named(other[0]))).constraint).toBe("course_offerings_term_id_terms_id_fk");
  const [autumn] = await ids();
  await rows(named(autumn));
  expect((await refusal(`delete from terms where id = ${autumn}`)).constraint).toBe(
    "course_offerings_term_id_terms_id_fk",
  );
});
