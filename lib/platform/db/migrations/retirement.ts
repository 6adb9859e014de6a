import type { Retired } from "../../../../schema/functions/retired.ts";

/** Entries whose objects stay: servers of the previous version may still run. */
export const retiredInThisVersion = (retired: readonly Retired[], version: string): Retired[] =>
  retired.filter(({ retiredIn }) => retiredIn === version);

/** Objects that no running server calls. */
export const retiredObjectsToDrop = (retired: readonly Retired[], version: string): string[] =>
  retired.filter(({ retiredIn }) => retiredIn !== version).map(({ object }) => object);
