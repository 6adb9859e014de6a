import { isIP } from "node:net";

/** For whom something waits: everyone behind one network address, and one account among them. */
export type Share = { network: string; account: number | string };

/** What one subscriber has: an IPv4 address, and of IPv6 the 64 bits before those that every device makes up for itself. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [start = "", end] = address.split("::");
  const first = start.split(":").filter(Boolean);
  const last = end?.split(":").filter(Boolean) ?? [];
  const written = first.length + last.length + (address.includes(".") ? 1 : 0);
  const groups = [...first, ...Array<string>(8 - written).fill("0"), ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
