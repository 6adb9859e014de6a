import { PlatformError } from "learning-platform-client";
import { expect, it } from "vitest";
import {
  createScormCommitSender,
  sendCommitOfEarlierSession,
  type UnsentScormData,
  type UnsentScormDataStore,
} from "../../../../app/src/scorm/commit-sender.ts";

function storage(pending?: UnsentScormData): UnsentScormDataStore & { kept(): UnsentScormData | undefined } {
  let kept = pending;
  return {
    read: () => kept,
    write: (next) => {
      kept = next;
    },
    kept: () => kept,
  };
}

const session = "one";
const refused = (status: number) => Object.create(PlatformError.prototype, { status: { value: status } });
const offline = new TypeError("Failed to fetch");

/** Answers each request with the next outcome, then succeeds. */
function answering(...outcomes: unknown[]) {
  const sent: UnsentScormData[] = [];
  const send = async (commit: UnsentScormData) => {
    sent.push(commit);
    const outcome = outcomes.shift();
    if (outcome) throw outcome;
  };
  return { sent, send, wait: async () => {} };
}

it("unsent data is retried until the service has it", async () => {
  const store = storage();
  const { sent, ...deps } = answering(offline, refused(503));
  const sender = createScormCommitSender(session, { ...deps, store });
  sender.put({ suspend_data: "a" }, 10);
  await sender.flush();
  expect(sent).toHaveLength(3);
  expect(sent[2]).toEqual({ session, sequence: 1, cmi: { suspend_data: "a" }, seconds: 10 });
  expect(store.kept()).toBeUndefined();
});

it("data that changes while it is sent is sent too", async () => {
  const store = storage();
  const { sent, ...deps } = answering();
  const sender = createScormCommitSender(session, {
    ...deps,
    store,
    send: async (commit) => {
      if (sent.length === 0) sender.put({ suspend_data: "b" }, 20);
      await deps.send(commit);
    },
  });
  sender.put({ suspend_data: "a" }, 10);
  await Promise.all([sender.flush(), sender.flush()]);
  expect(sent.map(({ sequence, cmi }) => [sequence, cmi["suspend_data"]])).toEqual([
    [1, "a"],
    [2, "b"],
  ]);
  expect(store.kept()).toBeUndefined();
});

it("data of a session that another device ended is dropped, and the refusal thrown", async () => {
  const store = storage();
  const sender = createScormCommitSender(session, { ...answering(refused(409)), store });
  sender.put({}, 1);
  await expect(sender.flush()).rejects.toMatchObject({ status: 409 });
  expect(store.kept()).toBeUndefined();
});

it("data that an earlier page left is sent before the next launch", async () => {
  const left = { session, sequence: 4, cmi: {}, seconds: 9 };
  const store = storage(left);
  const { sent, send } = answering();
  await sendCommitOfEarlierSession({ send, store });
  expect([sent, store.kept()]).toEqual([[left], undefined]);
});

it("data that an earlier page left stays while the service cannot be reached, and goes once it is rejected", async () => {
  const left = { session, sequence: 4, cmi: {}, seconds: 9 };
  const store = storage(left);
  await expect(sendCommitOfEarlierSession({ ...answering(offline), store })).rejects.toBe(offline);
  expect(store.kept()).toEqual(left);
  await sendCommitOfEarlierSession({ ...answering(refused(409)), store });
  expect(store.kept()).toBeUndefined();
});
