import type { CartridgePartKind } from "../../../schema/enums.ts";
import type { EncodedOmission } from "../../platform/results/omission-codes.ts";
import type { StoredReason } from "../../platform/results/stored-reason.ts";
import type { ModuleDates } from "./module-dates.ts";

export type PartDetails = {
  path?: string;
  /** Settings in the authoring program's format, such as Canvas's. */
  settings?: string;
  description?: string;
  /** Of a module that our export wrote. */
  dates?: ModuleDates[string];
  /** Our own file next to a page, with the original item. */
  own?: string;
  /** A module for resources outside of the outline, created with its first part. */
  is_lazy?: boolean;
  /** Its content's title is used if there is one. */
  is_untitled?: boolean;
  type?: string;
};

/** A folder of the outline, or a resource for each place in the outline. */
export type PlannedPart = {
  kind: CartridgePartKind;
  identifier: string;
  title: string;
  /** The index of the part's module, from 0; null for the top of the course. */
  parent: number | null;
  details: PartDetails;
  /** Nothing will be created, for this reason. */
  refusal?: { outcome: "refused" | "ignored"; reason: StoredReason; left_out?: EncodedOmission[] };
};

export type CartridgePlan = {
  version: string;
  title: string;
  parts: PlannedPart[];
};

/** The database enforces it. */
export const maxModuleDepth = 32;
