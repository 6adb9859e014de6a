import { expect, it } from "vitest";
import { handleToolStorageMessage } from "../../../app/src/content/tool-storage.ts";

const tool = "https://tool.example.com";
const put = (key: unknown, value: unknown) => ({ subject: "lti.put_data", message_id: "1", key, value });
const get = (key: string) => ({ subject: "lti.get_data", message_id: "2", key });

it("keeps values by origin", () => {
  const storage = new Map();
  expect(handleToolStorageMessage(storage, tool, put("state", "abc"))).toEqual({
    ...{ subject: "lti.put_data.response", message_id: "1", key: "state", value: "abc" },
  });
  expect(handleToolStorageMessage(storage, tool, get("state"))).toMatchObject({ value: "abc" });
  expect(handleToolStorageMessage(storage, "https://other.example.com", get("state"))).toMatchObject({
    value: null,
  });
  handleToolStorageMessage(storage, tool, put("state", null));
  expect(handleToolStorageMessage(storage, tool, get("state"))).toMatchObject({ value: null });
});

it("names its messages", () => {
  const asked = { subject: "lti.capabilities", message_id: "3" };
  expect(handleToolStorageMessage(new Map(), tool, asked)).toMatchObject({
    subject: "lti.capabilities.response",
    supported_messages: expect.arrayContaining([{ subject: "lti.put_data", frame: "_parent" }]),
  });
});

it("limits keys and values", () => {
  const storage = new Map();
  for (let n = 0; n < 20; n += 1) handleToolStorageMessage(storage, tool, put(`key-${n}`, "x"));
  expect(handleToolStorageMessage(storage, tool, put("more", "x"))).toMatchObject({
    error: { code: "storage_exhaustion" },
  });
  expect(handleToolStorageMessage(storage, tool, put("key-1", "y"))).toMatchObject({ value: "y" });
  for (const wrong of [
    put(1, "x"),
    put("k".repeat(256), "x"),
    put("key-1", "x".repeat(4097)),
    put("key-1", {}),
  ])
    expect(handleToolStorageMessage(storage, tool, wrong)).toMatchObject({ error: { code: "bad_request" } });
});

it.each([null, "text", {}, { subject: "lti.links" }, { subject: "lti.get_data", key: "k" }])(
  "does not answer %j",
  (data) => {
    expect(handleToolStorageMessage(new Map(), tool, data)).toBeUndefined();
  },
);
