import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows } = openSession();

it("add_to_feature_request_totals follows every write of the requests", async () => {
  const totals = () =>
    rows("select status, requests from feature_request_totals where requests > 0 order by status");
  await rows(
    "insert into feature_requests (user_id, title, description) values (1, 'a', 'a'), (2, 'b', 'b')",
  );
  expect(await totals()).toEqual([{ status: "pending", requests: 2 }]);
  await rows("update feature_requests set status = 'planned' where user_id = 1");
  expect(await totals()).toEqual([
    { status: "pending", requests: 1 },
    { status: "planned", requests: 1 },
  ]);
  await rows("delete from feature_requests where user_id = 1");
  expect(await totals()).toEqual([{ status: "pending", requests: 1 }]);
});
