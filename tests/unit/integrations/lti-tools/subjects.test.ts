import { expect, it } from "vitest";
import { replaceVariables } from "../../../../lib/integrations/lti-tools/custom-parameters.ts";
import {
  createSubjectKey,
  decryptSubject,
  encryptSubject,
} from "../../../../lib/integrations/lti-tools/subjects.ts";

it("a subject is decrypted only with the tool's key", () => {
  const [key, other] = [createSubjectKey(), createSubjectKey()];
  for (const person of [1, 2, 2_147_483_647]) {
    const subject = encryptSubject(key, person);
    expect(subject).toMatch(/^[\w-]{22}$/);
    expect(decryptSubject(key, subject)).toBe(person);
    expect(decryptSubject(other, subject)).toBeUndefined();
    expect(encryptSubject(other, person)).not.toBe(subject);
  }
});

it.each(["", "1", "A".repeat(22), "A".repeat(23), "ä".repeat(22)])("%j is no subject", (subject) => {
  expect(decryptSubject(createSubjectKey(), subject)).toBeUndefined();
});

it("variables are replaced by whole name, and unknown ones stay", () => {
  const values = { "User.id": "u1", "Context.id": "$User.id", "Person.name.full": undefined };
  const given = { a: "$User.id", b: "x-$Context.id-$User.ids", c: "$Person.name.full", d: "5$" };
  expect(replaceVariables(given, values)).toEqual({
    ...{ a: "u1", b: "x-$User.id-$User.ids", c: "$Person.name.full", d: "5$" },
  });
});
