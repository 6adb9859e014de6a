import type { CartridgePartKind } from "../../../schema/enums.ts";

/** Archive paths and settings of a part's content. */
export type PartDetails = {
  /** The file to read, or the file itself. */
  path?: string;
  /** A second file with settings in the authoring program's format, such as Canvas's. */
  settings?: string;
  description?: string;
  /** Our own file next to a page, with the original item. */
  own?: string;
  /** A module for resources outside of the outline, created with its first part. */
  is_lazy?: boolean;
  /** It has no title, so the title of its content is used if there is one. */
  is_untitled?: boolean;
  /** The resource type, if it is not supported. */
  type?: string;
};

/** A part of a cartridge: a folder of the outline, or a resource for each place in the outline. */
export type PlannedPart = {
  kind: CartridgePartKind;
  identifier: string;
  title: string;
  /** The index of the part's module, from 0; null for the top of the course. */
  parent: number | null;
  details: PartDetails;
  /** Why nothing will be created, if known already. */
  refusal?: { outcome: "refused" | "ignored"; reason: string };
};

export type CartridgePlan = {
  version: string;
  title: string;
  parts: PlannedPart[];
};

/** Maximum depth of modules, which the database enforces. */
export const deepestModule = 32;
