import { PassThrough } from "node:stream";
import { array, assert, asyncProperty, integer, string } from "fast-check";
import { expect, it } from "vitest";
import { readWholeLines } from "../../../server/whole-lines.ts";

const line = string({ unit: "binary" }).map((text) => text.replaceAll("\n", " "));

it("writes complete lines, wherever the text is cut, and completes the last one", async () => {
  await assert(
    asyncProperty(array(line, { maxLength: 20 }), array(integer({ min: 1, max: 7 })), async (lines, cuts) => {
      const bytes = Buffer.from(lines.join("\n"));
      const stream = new PassThrough();
      const written: string[] = [];
      readWholeLines(stream, (text) => written.push(text));
      let rest = bytes;
      for (const cut of cuts) {
        stream.write(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      stream.end(rest);
      await new Promise((resolve) => stream.once("close", resolve));
      const text = bytes.toString();
      expect(written.join("")).toBe(text === "" || text.endsWith("\n") ? text : `${text}\n`);
      expect(written.filter((one) => !one.endsWith("\n"))).toEqual([]);
    }),
  );
});
