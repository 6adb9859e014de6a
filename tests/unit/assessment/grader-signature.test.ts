import { expect, it } from "vitest";
import {
  deriveGraderSecret,
  isGraderCallSignatureValid,
  parseGraderSignatureHeader,
  signGraderCall,
} from "../../../lib/assessment/grader-signature.ts";

const now = new Date("2026-03-10T12:00:00Z");
const at = now.getTime();
const item = { offering_id: 1, content_item_id: 2, version: 1 };

it("a signature is the HMAC-SHA256 of moment, submission and body, as any library makes it", () => {
  // printf '1773144000000.5.{"score":3}' | openssl dgst -sha256 -hmac key
  expect(at).toBe(1_773_144_000_000);
  expect(signGraderCall("key", { at, submissionId: 5, body: '{"score":3}' })).toBe(
    "846ab3e1767f136640ff0501bbce345a3a2efaad5832887fa217183923da8404",
  );
});

it("a secret is one item's in one offering, another one in each version, and never the key that it is made with", () => {
  const secrets = [
    item,
    { ...item, offering_id: 2 },
    { ...item, content_item_id: 1 },
    { ...item, version: 2 },
  ].map((one) => deriveGraderSecret("k".repeat(32), one));
  expect(new Set(secrets).size).toBe(4);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
});

it("isGraderCallSignatureValid is true for the exact bytes, about that submission, within five minutes", () => {
  const secret = deriveGraderSecret("k".repeat(32), item);
  const header = (moment = at) =>
    `t=${moment},v1=${signGraderCall(secret, { at: moment, submissionId: 5, body: "{}" })}`;
  const call = { submissionId: 5, body: "{}", now };
  expect(isGraderCallSignatureValid(header(), secret, call)).toBe(true);
  expect(
    [-300_000, 300_000].map((gap) => isGraderCallSignatureValid(header(at + gap), secret, call)),
  ).toEqual([true, true]);
  expect(
    [-300_001, 300_001].map((gap) => isGraderCallSignatureValid(header(at + gap), secret, call)),
  ).toEqual([false, false]);
  expect(isGraderCallSignatureValid(header(), secret, { ...call, body: "{ }" })).toBe(false);
  expect(isGraderCallSignatureValid(header(), secret, { ...call, submissionId: 6 })).toBe(false);
  expect(isGraderCallSignatureValid(header(), `${secret}x`, call)).toBe(false);
});

it("parseGraderSignatureHeader takes nothing that is spelled otherwise", () => {
  const digest = "0".repeat(64);
  expect(parseGraderSignatureHeader(`t=${at},v1=${digest}`)).toEqual({ at, digest });
  for (const header of [
    undefined,
    "",
    `t=1,v1=${digest}`,
    `t=${at},v1=${digest}0`,
    `t=${at},v1=${digest.slice(1)}g`,
  ])
    expect(parseGraderSignatureHeader(header), header).toBeUndefined();
});
