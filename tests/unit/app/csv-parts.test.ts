import { expect, it } from "vitest";
import { countCsvDataRows, joinCsvDroppingHeaders } from "../../../app/src/grading/csv-parts.ts";

const heading = 'id,name,"7 ""Waves"", twice"\r\n';

it("a file that came in parts has its heading once, and every line as it was", () => {
  const parts = [`${heading}1,Ada,5\r\n2,"Grace\r\nHopper",\r\n`, `${heading}3,"a ""b""",4\r\n`, heading];
  expect(parts.map(countCsvDataRows)).toEqual([2, 1, 0]);
  expect(joinCsvDroppingHeaders(parts)).toBe(
    `${heading}1,Ada,5\r\n2,"Grace\r\nHopper",\r\n3,"a ""b""",4\r\n`,
  );
});
