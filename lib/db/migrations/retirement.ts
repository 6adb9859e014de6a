import type { Retired } from "../../../schema/functions/retired.ts";

/** Entries whose objects stay: servers of the version before may still run. */
export const runningBeside = (retired: readonly Retired[], version: string): Retired[] =>
  retired.filter(({ retiredIn }) => retiredIn === version);

/** Objects to drop: every server that called them has been replaced, or none ever called them. */
export const toDrop = (retired: readonly Retired[], version: string): string[] =>
  retired.filter(({ retiredIn }) => retiredIn !== version).map(({ object }) => object);
