import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../lib/config.ts";
import { createCallerAddressReader } from "../../../lib/http/caller-address.ts";

const settings = {
  DATABASE_URL: "postgresql://app:pw@db.example/learning",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  LLM_PROVIDER: "cloud_managed",
};

/** The caller's address for a request from this peer with these hops. */
async function caller(proxies: string, remoteAddress: string, hops?: string, env: object = {}) {
  const addressOf = createCallerAddressReader(loadConfig({ ...settings, TRUSTED_PROXIES: proxies }));
  const app = new Hono().get("/", (c) => c.text(addressOf(c) ?? "nobody"));
  const headers = hops === undefined ? {} : { "x-forwarded-for": hops };
  const answer = await app.request("/", { headers }, { incoming: { socket: { remoteAddress } }, ...env });
  return answer.text();
}

describe("the address of a caller", () => {
  it("is the connection's peer, whatever the headers, if no proxy is trusted", async () => {
    expect(await caller("", "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
    expect(await caller("10.0.0.0/8", "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
    expect(await caller("10.0.0.0/8", "11.0.0.1", "198.51.100.1")).toBe("11.0.0.1");
  });

  it.each([
    ["10.0.0.0/8", "10.1.2.3", "198.51.100.1"],
    ["10.1.2.3", "10.1.2.3", "198.51.100.1"],
    ["192.0.2.1, 10.1.2.3/32", "::ffff:10.1.2.3", "198.51.100.1"],
    ["2001:db8::/32", "2001:db8:1::5", "198.51.100.1"],
    ["2001:db8::5", "2001:0db8:0::5", "198.51.100.1"],
    ["fe80::/10", "fe80::1%eth0", "198.51.100.1"],
  ])("is the client of a trusted proxy in %s, which connects as %s", async (proxies, peer, hops) => {
    expect(await caller(proxies, peer, hops)).toBe("198.51.100.1");
  });

  it("is the last one that is no proxy: clients can forge the ones before", async () => {
    expect(await caller("10.0.0.0/8", "10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2")).toBe("198.51.100.1");
    expect(await caller("10.0.0.0/8", "10.0.0.1", "10.9.9.9, 10.0.0.2")).toBe("10.9.9.9");
  });

  it.each([
    ["198.51.100.1:52100", "198.51.100.1"],
    ["[2001:db8::9]:443", "2001:db8::9"],
    ["[2001:db8::9]", "2001:db8::9"],
    ["2001:db8::9", "2001:db8::9"],
    ["::ffff:198.51.100.1", "198.51.100.1"],
  ])("is read from %s", async (hop, address) => {
    expect(await caller("10.0.0.0/8", "10.0.0.1", hop)).toBe(address);
  });

  it.each(["", "unknown", "1.1.1.1, nonsense", "999.1.1.1", "1.1.1.1, "])(
    "is the proxy if %j has no valid client",
    async (hops) => {
      expect(await caller("10.0.0.0/8", "10.0.0.1", hops)).toBe("10.0.0.1");
    },
  );

  it("is the gateway's word on Lambda, and that of a trusted proxy before it", async () => {
    const gateway = (sourceIp: string) => ({ requestContext: { identity: { sourceIp } } });
    expect(await caller("", "ignored", "1.1.1.1", gateway("203.0.113.7"))).toBe("203.0.113.7");
    expect(await caller("203.0.113.0/24", "ignored", "1.1.1.1, 203.0.113.9", gateway("203.0.113.7"))).toBe(
      "1.1.1.1",
    );
    const http = { requestContext: { http: { sourceIp: "2001:db8::1" } } };
    expect(await caller("", "ignored", "1.1.1.1", http)).toBe("2001:db8::1");
  });
});

describe("TRUSTED_PROXIES", () => {
  it.each([
    "10.0.0.0/33",
    "10.0.0/8",
    "2001:db8::/129",
    "example.edu",
    "10.0.0.1/",
    "10.0.0.0/8/9",
    "fe80::1%eth0",
  ])("is refused as %s", (proxies) => {
    expect(() => loadConfig({ ...settings, TRUSTED_PROXIES: proxies })).toThrow(
      /TRUSTED_PROXIES: must be addresses/,
    );
  });
});
