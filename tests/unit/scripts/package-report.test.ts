import { expect, test } from "vitest";
import { importFault, sizeFault } from "../../../scripts/build/package-budgets.ts";
import type { FunctionSize } from "../../../scripts/build/package-sizes.ts";

const KB = 1024;
const small: FunctionSize = { name: "users", zipBytes: 200 * KB, servedBytes: 0, inputs: [] };

test("a function without an LLM's client has 400 KB", () => {
  expect(sizeFault({ ...small, zipBytes: 400 * KB })).toBeUndefined();
  expect(sizeFault({ ...small, zipBytes: 400 * KB + 1 })).toContain("users has 409601 bytes");
});

test("importing a function takes at most three times as long as the baseline", () => {
  expect(importFault("users", 300, 100)).toBeUndefined();
  expect(importFault("users", 310, 100)).toContain("users is imported in 3.1 times the baseline");
});

test.each([
  ...["chat", "admin", "warming", "trials"].map((one) => [one, 900] as const),
  ...["files", "assessments", "universities", "cartridges"].map((one) => [one, 650] as const),
  ...["certificates", "saml"].map((one) => [one, 450] as const),
  ["file-checks", 1250] as const,
])("%s, which carries large packages, has %i KB", (name, most) => {
  expect(sizeFault({ ...small, name, zipBytes: most * KB })).toBeUndefined();
  expect(sizeFault({ ...small, name, zipBytes: most * KB + 1 })).toContain("over its budget");
});

test("files that are only handed out do not count", () => {
  expect(sizeFault({ ...small, zipBytes: 1200 * KB, servedBytes: 900 * KB })).toBeUndefined();
});
