import { describe, expect, test } from "vitest";
import {
  canRepeatStatement,
  DatabaseUnavailable,
  isDatabaseUnavailable,
  translateDriverError,
} from "../../../../lib/platform/db/unavailable.ts";

const withCode = (code: string, message = "") => Object.assign(new Error(message), { code });

const shutdown = withCode("57P01", "terminating connection due to administrator command");
const broken = new Error("Connection terminated unexpectedly");
const timeout = new Error("Query read timeout");

describe("translateDriverError", () => {
  test.each([
    ["a shutdown by the administrator", shutdown],
    ["a server with no connection to spare", withCode("53300")],
    ["a connection exception", withCode("08006")],
    ["a refused connection", withCode("ECONNREFUSED")],
    ["a broken pipe, whose code has five letters like a SQLSTATE", withCode("EPIPE")],
    ["a host without an address", withCode("EAI_AGAIN")],
    ["a connection that ended", broken],
    ["a timeout", timeout],
    ["Neon's failed fetch", new Error("Error connecting to database: TypeError: fetch failed")],
    ["a WebSocket's wordless event", new Event("error")],
  ])("%s means that the database is unavailable", (_, error) => {
    expect(translateDriverError(error)).toBeInstanceOf(DatabaseUnavailable);
    expect(translateDriverError(error)).toHaveProperty("cause", error);
  });

  test.each([
    ["a unique violation", withCode("23505", "duplicate key value")],
    ["a cancelled statement", withCode("57014", "canceling statement due to statement timeout")],
    ["a mistake in the program", new TypeError("Converting circular structure to JSON")],
  ])("%s stays what it is", (_, error) => {
    expect(translateDriverError(error)).toBe(error);
  });
});

test("isUnavailable looks through the causes, and takes no other connection for the database's", () => {
  const error = translateDriverError(broken);
  expect(isDatabaseUnavailable(new Error("Failed query", { cause: error }))).toBe(true);
  expect(isDatabaseUnavailable(withCode("ECONNREFUSED"))).toBe(false);
  expect(isDatabaseUnavailable(undefined)).toBe(false);
});

describe("canRepeatStatement", () => {
  const may = (error: unknown, repeatable: boolean) =>
    canRepeatStatement(translateDriverError(error), { repeatable });

  test("after a broken connection is true only for a repeatable statement: others may have been executed", () => {
    expect(may(broken, true)).toBe(true);
    expect(may(broken, false)).toBe(false);
  });

  test("is true for a write if the server ended the session instead", () => {
    expect(may(shutdown, false)).toBe(true);
  });

  test("a write is sent again when the server gave it up for others that it was locked in with", () => {
    expect(may(withCode("40P01"), false)).toBe(true);
  });

  test.each([
    ["a timeout", timeout],
    ["a temporary refusal of the server", withCode("55P03")],
    ["an error of the statement", withCode("23505")],
  ])("nothing is sent again after %s", (_, error) => {
    expect(may(error, true)).toBe(false);
  });
});
