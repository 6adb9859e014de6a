import { isIP } from "node:net";

export type FairQueueKey = { network: string; account: number | string };

/** An IPv4 address, or the first 64 bits of an IPv6 address: devices choose the rest. */
export function networkOfAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [start = "", end] = address.split("::");
  const first = start.split(":").filter(Boolean);
  const last = end?.split(":").filter(Boolean) ?? [];
  const written = first.length + last.length + (address.includes(".") ? 1 : 0);
  const groups = [...first, ...Array<string>(8 - written).fill("0"), ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
