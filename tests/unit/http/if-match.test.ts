import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { readIfMatch } from "../../../lib/http/if-match.ts";

const app = new Hono().get("/", (c) => {
  const { versions, issue } = readIfMatch(c);
  return c.json(issue ? issue.loc : (versions ?? "any"));
});

const read = async (header?: string) =>
  (await app.request("/", { headers: header === undefined ? {} : { "If-Match": header } })).json();

describe("If-Match", () => {
  it("names a version, one of several, or any", async () => {
    expect(await read('"7"')).toEqual([7]);
    expect(await read('"7", "8"\t,"0"')).toEqual([7, 8, 0]);
    expect(await read('"2147483647"')).toEqual([2_147_483_647]);
    expect(await read("*")).toBe("any");
    expect(await read()).toBe("any");
  });

  it("matches nothing for a weak tag, and for an invalid version", async () => {
    for (const tag of ['W/"7"', '"abc"', '""', '"07"', '"-1"', '"1.0"', '"2147483648"', '"99999999999"'])
      expect(await read(tag), tag).toEqual([]);
    expect(await read('W/"7", "8"')).toEqual([8]);
  });

  it("is rejected if it is no list of tags", async () => {
    for (const text of ["", "7", '"7', '7"', '"7" "8"', '"7",', '*, "7"', 'w/"7"', '"a b"', "'7'"])
      expect(await read(text), text).toEqual(["header", "if-match"]);
  });

  it("takes linear time for a long list", async () => {
    for (const part of ['"7" ', '"7",', 'W/"', '" ', "\t, "])
      expect(await read(part.repeat(25_000)), part).toEqual(["header", "if-match"]);
  });
});
