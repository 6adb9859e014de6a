import { expect, it } from "vitest";
import { lineOfJsonError } from "../../../../lib/platform/readers/json-line.ts";

const json = JSON.stringify({ a: [1, -2.5e3, true, null], b: { "c\n": '"' } }, null, 1);

it("the line of a cut text is its last one, wherever it is cut at the end of a line", () => {
  const lines = json.split("\n");
  for (let count = 1; count < lines.length; count += 1)
    expect(lineOfJsonError(lines.slice(0, count).join("\n"))).toBe(count);
});

it.each([
  ["a missing comma", '{\n"a": 1\n"b": 2\n}', 3],
  ["a word", "[\n1,\nyes,\n2]", 3],
  ["a comma at the end", "[\n1,\n]", 3],
  ["more than one value", "[1]\n[2]\n", 2],
  ["a line break within a text", '["a\nb"]', 2],
  ["no JSON at all", "hello\n", 1],
])("is that of %s", (_, text, line) => {
  expect(lineOfJsonError(text)).toBe(line);
});
