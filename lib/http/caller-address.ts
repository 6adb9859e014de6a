import { BlockList, isIP } from "node:net";
import type { Context } from "hono";
import type { Config } from "../config.ts";

/**
 * The connection's peer, or the gateway's value on Lambda. Behind trusted proxies, the last address in
 * `X-Forwarded-For` that is no trusted proxy. Clients set earlier entries.
 */
export function createCallerAddressReader({ TRUSTED_PROXIES: proxies }: Pick<Config, "TRUSTED_PROXIES">) {
  const trusted = new BlockList();
  for (const { address, prefix } of proxies) trusted.addSubnet(address, prefix, familyOf(address));
  const isTrusted = (address: string): boolean =>
    proxies.length > 0 && trusted.check(address, familyOf(address));

  return (c: Context): string | undefined => {
    let address = peerOf(c);
    if (!address || !isTrusted(address)) return address;
    for (const hop of (c.req.header("x-forwarded-for") ?? "").split(",").reverse()) {
      const before = plainAddress(hop);
      if (!before) return address;
      address = before;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

function peerOf({ env }: Context): string | undefined {
  const { requestContext: { identity, http } = {}, incoming } = env ?? {};
  return plainAddress(identity?.sourceIp ?? http?.sourceIp ?? incoming?.socket?.remoteAddress);
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Removes port, brackets and zone. IPv4 mapped into IPv6 becomes IPv4. */
function plainAddress(text = ""): string | undefined {
  if (isIP(text) === 4) return text;
  const given = text.trim().replace(/%[^\]]*/, "");
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(given) ?? [];
  const address = (bracketed ?? given.replace(/^([\d.]{7,15}):\d{1,5}$/, "$1")).replace(
    /^::ffff:(?=[\d.]+$)/i,
    "",
  );
  return isIP(address) ? address : undefined;
}
