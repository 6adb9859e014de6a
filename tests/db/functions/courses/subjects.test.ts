import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value, refusal } = openSession();

it("lock_subject_tree makes changes of the tree wait for each other until the transaction ends", async () => {
  const locks = `select count(*)::int from pg_locks where locktype = 'advisory' and classid = 'subjects'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  await rows("update subjects set name = 'Maths' where id = 1");
  expect(await value(locks)).toBe(0);
  await rows("update subjects set parent_subject_id = null where id = 1");
  expect(await value(locks)).toBe(1);
});

it("set_subject_depth_and_refuse_cycle gives a subject its parent's depth plus 1, and rejects a position below itself", async () => {
  expect(await column("select depth from subjects order by id")).toEqual([0, 0, 1]);
  expect(
    await value(
      "insert into subjects (name, code, parent_subject_id) values ('Groups', 'G', 3) returning depth",
    ),
  ).toBe(2);
  expect((await refusal("update subjects set parent_subject_id = 3 where id = 1")).constraint).toBe(
    "subjects_not_below_itself",
  );
});

it("update_depth_of_subject_descendants moves the subtree with a subject", async () => {
  await rows("update subjects set parent_subject_id = 2 where id = 1");
  expect(await column("select depth from subjects order by id")).toEqual([1, 0, 2]);
});
