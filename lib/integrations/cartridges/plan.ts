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
  /** Unpublished in the authoring program. */
  is_active?: false;
  /** A module for resources outside of the outline, created with its first part. */
  is_lazy?: boolean;
  /** Its content's title is used if there is one. */
  is_untitled?: boolean;
  type?: string;
  /** A link within the manifest, as in Thin Common Cartridge. */
  xml?: string;
  /** The path has a recording of Open Video. */
  is_recording?: boolean;
  /** The path has a QTI 3 package. */
  is_package?: boolean;
  /** Metadata and better versions that are not imported. */
  left_out?: EncodedOmission[];
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
