import { expect, it } from "vitest";
import { networkOfAddress } from "../../../../lib/platform/async/fair-queue-key.ts";

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ["1:2:3:4:5:6:203.0.113.7", "1:2:3:4::/64"],
])("%s is of the network %s", (address, network) => {
  expect(networkOfAddress(address)).toBe(network);
});
