import type { SampleFile } from "./sample-files.ts";

const csv = (name: string, ...lines: string[]): SampleFile => ({
  ...{ name, format: name, type: "text/csv" },
  content: lines.map((line) => `${line}\r\n`).join(""),
});

/** Lists of a class: one of addresses, and one that the university's import reads too. */
export const enrollmentSamples = (offering: number): readonly SampleFile[] => [
  csv("class.csv", "email,full_name,external_id", "ada@example.edu,Ada Lovelace,s-1815"),
  csv("enrollments.csv", "email,course_offering_id,as", `ada@example.edu,${offering},student`),
];

/** A file in each format of the university's import of people. */
export const peopleSamples: readonly SampleFile[] = [
  csv("people.csv", "email,full_name,sourced_id", "ada@example.edu,Ada Lovelace,s-1815"),
  csv("roles.csv", "email,role,department_code", "ada@example.edu,ta,"),
  csv("enrollments.csv", "email,course_offering_id,as", "ada@example.edu,1,student"),
];
