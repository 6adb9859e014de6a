import { expect, test } from "vitest";
import { budgetsBroken, type FunctionReport } from "../../../scripts/build/package-budgets.ts";

const KB = 1024;
const small: FunctionReport = {
  name: "users",
  zipBytes: 200 * KB,
  servedBytes: 0,
  importMs: 250,
  inputs: [],
};

test("a function within its budgets has nothing to report", () => {
  expect(budgetsBroken(small, 100)).toEqual([]);
  expect(budgetsBroken({ ...small, zipBytes: 400 * KB, importMs: 300 }, 100)).toEqual([]);
});

test("a function without an LLM's client has 400 KB and three times the baseline's import", () => {
  const [size, start] = budgetsBroken({ ...small, zipBytes: 400 * KB + 1, importMs: 310 }, 100);
  expect(size).toContain("users has 409601 bytes");
  expect(start).toContain("users is imported in 3.1 times the baseline");
});

test("chat, admin, warming and trials, which carry the LLM's clients, have 900 KB and the same import", () => {
  for (const name of ["chat", "admin", "warming", "trials"]) {
    expect(budgetsBroken({ ...small, name, zipBytes: 900 * KB, importMs: 300 }, 100)).toEqual([]);
    expect(budgetsBroken({ ...small, name, zipBytes: 900 * KB + 1, importMs: 310 }, 100)).toHaveLength(2);
  }
});

test("packages with the file store's client have 650 KB, PDF writers 450, document readers 1250, and the same import", () => {
  for (const [name, most] of [
    ...["files", "assessments", "universities"].map((one) => [one, 650] as const),
    ["certificates", 450] as const,
    ["file-checks", 1250] as const,
  ]) {
    expect(budgetsBroken({ ...small, name, zipBytes: most * KB, importMs: 300 }, 100)).toEqual([]);
    expect(budgetsBroken({ ...small, name, zipBytes: most * KB + 1, importMs: 310 }, 100)).toHaveLength(2);
  }
});

test("files that are only handed out do not count", () => {
  expect(budgetsBroken({ ...small, zipBytes: 1200 * KB, servedBytes: 900 * KB }, 100)).toEqual([]);
});
