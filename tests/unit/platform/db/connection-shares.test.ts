import { expect, it, vi } from "vitest";
import { limitConnectionsPerOperation } from "../../../../lib/platform/db/driver/connection-shares.ts";
import { applyPoolLayers, type Statement, toStatement } from "../../../../lib/platform/db/driver/layers.ts";
import { queryStatsStorage } from "../../../../lib/platform/db/driver/observe.ts";
import { runWithoutConnectionTimeout } from "../../../../lib/platform/db/wait-for-connection.ts";
import { freezeTime } from "../../../support/frozen-time.ts";

freezeTime();

/** A pool with statements that the test completes. */
function pool(max: number) {
  const sent: (() => void)[] = [];
  let clients = 0;
  const send = ({ text }: Statement) =>
    new Promise<unknown>((resolve, reject) => {
      sent.push(() => (text === "fail" ? reject(new Error("failed")) : resolve(text)));
    });
  const connect = async () => {
    clients += 1;
    return {
      send,
      release: () => {
        clients -= 1;
      },
    };
  };
  const shared = applyPoolLayers({ send, connect }, [limitConnectionsPerOperation(max, 10_000)]);
  const query = (text: string) => shared.send(toStatement(text));
  return { shared, query, sent, clients: () => clients };
}

const during = <T>(operation: string, work: () => T): T =>
  queryStatsStorage.run({ count: 0, duration_ms: 0, operation }, work);

const settled = () => vi.advanceTimersByTimeAsync(0);

it("an operation takes half of the connections, in order, and no other waits for it", async () => {
  const { query, sent } = pool(10);
  const first = during("GET /a", () => Array.from({ length: 7 }, (_, at) => query(`a${at}`)));
  await settled();
  expect(sent).toHaveLength(5);
  during("GET /b", () => void query("b"));
  void query("outside of requests");
  await settled();
  expect(sent).toHaveLength(7);
  sent[0]?.();
  expect(await first[0]).toBe("a0");
  await settled();
  expect(sent).toHaveLength(8);
});

it("a connection that was lent counts until it is released, once", async () => {
  const { shared, clients } = pool(4);
  const lent = await during("GET /a", () => Promise.all([shared.connect(), shared.connect()]));
  const third = during("GET /a", () => shared.connect());
  await settled();
  expect(clients()).toBe(2);
  lent[0]?.release();
  await third;
  const fourth = during("GET /a", () => shared.connect());
  lent[0]?.release();
  await settled();
  lent[1]?.release();
  await fourth;
});

it("a failed statement frees its slot, and too long a wait is rejected", async () => {
  const { query, sent } = pool(4);
  const failing = during("GET /a", () => query("fail")).catch((error: Error) => error.message);
  await settled();
  sent[0]?.();
  expect(await failing).toBe("failed");
  during("GET /a", () => [query("one"), query("two")]);
  const late = during("GET /a", () => query("three")).catch((error: Error) => error.name);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await late).toBe("DatabaseBusy");
  expect(sent).toHaveLength(3);
});

it("patient work also waits in order, and is never rejected", async () => {
  const { query, sent } = pool(4);
  during("POST /messages", () => {
    for (const text of ["one", "two"]) void query(text);
    void runWithoutConnectionTimeout(() => query("opening"));
    void query("claim").catch(() => {});
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toHaveLength(2);
  sent[0]?.();
  await settled();
  expect(sent).toHaveLength(3);
});

it("of three connections an operation may have all", async () => {
  const { query, sent } = pool(3);
  during("GET /a", () => Array.from({ length: 3 }, () => query("a")));
  await settled();
  expect(sent).toHaveLength(3);
});
