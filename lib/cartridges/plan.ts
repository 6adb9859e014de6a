import type { CartridgePartKind } from "../../schema/enums.ts";

/** Where a part's content is: paths in the archive. */
export type PartDetails = {
  /** Of the file that is read, or that it is. */
  path?: string;
  /** Of a file beside it that says more, in the words of the program that wrote it: Canvas's settings of work. */
  settings?: string;
  /** Of a folder of the outline: what it is about. */
  description?: string;
  /** Of what this service wrote beside a page: the item as it was. */
  own?: string;
  /** Of what gathers what stands in no outline: it is made with the first part that goes into it. */
  is_lazy?: boolean;
  /** Nobody has named it: what its own content is called is its title, where that says so. */
  is_untitled?: boolean;
  /** What kind of resource it is, where that is not understood. */
  type?: string;
};

/** A part of a cartridge: a folder of its outline, or a resource, once for each time that the outline names it. */
export type PlannedPart = {
  kind: CartridgePartKind;
  identifier: string;
  title: string;
  /** Which of the parts is the module that it goes into, from 0; null for the top of the course. */
  parent: number | null;
  details: PartDetails;
  /** Why nothing comes of it, which is known by now. */
  refusal?: { outcome: "refused" | "ignored"; reason: string };
};

export type CartridgePlan = {
  version: string;
  title: string;
  parts: PlannedPart[];
};

/** How deep the modules of a course may lie; the database holds it. */
export const deepestModule = 32;
