import { describe, expect, it } from "vitest";
import type { Config } from "../../../../lib/config.ts";
import { beginLogin } from "../../../../lib/identity/auth/oidc.ts";
import { isPublicIpAddress, publicFetch } from "../../../../lib/identity/auth/public-fetch.ts";

describe("isPublicIpAddress", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::a00:1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "fd00::1",
    "fe80::1",
    "192.88.99.0",
    "192.88.99.255",
    "::ffff:0:a9fe:a9fe",
    "::ffff:0:0:0",
    "64:ff9b:1::",
    "64:ff9b:1:ffff:ffff:ffff:a9fe:a9fe",
    "100::",
    "100::ffff:ffff:ffff:ffff",
    "fec0::1",
    "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "not an address",
  ])("%s leads inward, or nowhere", (address) => {
    expect(isPublicIpAddress(address)).toBe(false);
  });

  it.each([
    "93.184.216.34",
    "1.1.1.1",
    "172.32.0.1",
    "192.88.98.255",
    "192.88.100.0",
    "2606:4700:4700::1111",
    "::ffff:93.184.216.34",
    "::fffe:0:a9fe:a9fe",
    "::ffff:1:a9fe:a9fe",
    "64:ff9b:0:ffff:ffff:ffff:a9fe:a9fe",
    "64:ff9b:2::",
    "ff:ffff::",
    "100:0:0:1::",
  ])("%s is public", (address) => {
    expect(isPublicIpAddress(address)).toBe(true);
  });
});

describe("a sign-in by a university's provider", () => {
  it("asks no issuer inside the network, outside development", async () => {
    const client = { client_id: "learning", client_secret: "secret" };
    const provider = { name: "7.campus", label: "Campus", issuer: "https://127.0.0.1:1", ...client };
    const begun = (of?: { id: number; university_id: number }) =>
      beginLogin(
        { ENVIRONMENT: "production" } as Config,
        { ...provider, ...(of && { of }) },
        new URL("https://learn.example.edu/callback"),
      ).catch((error) => [error.status, JSON.stringify(reasonsOf(error))]);
    expect(await begun({ id: 1, university_id: 7 })).toEqual([503, expect.stringContaining("InwardAddress")]);
    // The operator vouches for the platform's own providers.
    expect(await begun()).toEqual([503, expect.not.stringContaining("InwardAddress")]);
  });
});

const reasonsOf = (error: unknown): string[] =>
  error instanceof Error ? [error.name, ...reasonsOf(error.cause)] : [];

describe("publicFetch", () => {
  it.each([
    "http://93.184.216.34/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/latest",
    "https://[::ffff:0:169.254.169.254]/latest",
    "https://[64:ff9b:1::a9fe:a9fe]/latest",
    "https://localhost:1/",
    "file:///etc/passwd",
  ])("does not connect to %s", async (address) => {
    await expect(publicFetch(address, {})).rejects.toMatchObject({ name: "InwardAddress" });
  });
});
