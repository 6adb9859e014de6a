import { expect, it } from "vitest";
import { openSession } from "./session.ts";

const { value } = openSession();

it("utc_day is the day of a moment in UTC, wherever it was written", async () => {
  expect(await value("select utc_day('2026-03-01 23:30-05')::text")).toBe("2026-03-02");
  expect(await value("select utc_day('2026-03-02 00:30+05')::text")).toBe("2026-03-01");
});

it("utc_midnight is the start of a day in UTC, in every session time zone", async () => {
  await value("set local time zone 'Asia/Tokyo'");
  expect(await value("select utc_midnight('2026-03-01') = '2026-03-01T00:00Z'::timestamptz")).toBe(true);
});

it("sha256_hex is the hash of a text in UTF-8, and null of none", async () => {
  const ofAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(await value("select sha256_hex('abc')")).toBe(ofAbc);
  expect(await value("select sha256_hex('é')")).toBe(
    "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
  );
  expect(await value("select sha256_hex(null)")).toBeNull();
});
