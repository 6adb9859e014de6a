import type { Schemas } from "learning-platform-client";
import { fragmentParameter } from "../routes.ts";

/** A place in an item: a block, a second of a film, a file. */
export type SourceLocation = Schemas["ChatMessage"]["sources"][number]["place"];

/** Appends a place to an item's address. */
export function addSourceLocationToUrl(address: string, { block, seconds, file }: SourceLocation): string {
  if (block !== undefined) return `${address}?block=${block}`;
  if (seconds !== undefined) return `${address}?seconds=${seconds}`;
  return file === undefined ? address : `${address}?file=${encodeURIComponent(file)}`;
}

export function parseSourceLocationFromFragment(fragment: string): SourceLocation {
  const [block, seconds] = ["block", "seconds"].map((name) =>
    Number.parseInt(fragmentParameter(fragment, name), 10),
  );
  const file = fragmentParameter(fragment, "file");
  return {
    ...(block !== undefined && block > 0 && { block }),
    ...(seconds !== undefined && seconds >= 0 && { seconds }),
    ...(file !== "" && { file }),
  };
}
