import type { QtiImport } from "../../../schema/api/qti.ts";
import { truncate } from "../../text/truncate.ts";
import { type QtiFile, unpacked } from "./package.ts";
import { type ReadItem, readItem } from "./read-item.ts";
import { QtiError } from "./xml.ts";

/** What a file of QTI says: no item where it holds none, or where a fault says why it is not understood. */
export type ReadFile = { name: string; item?: ReadItem | undefined; fault?: string };

/** What is said of a file may name what stands there, which may be all of it. */
const longestFault = 500;

/** Reads the files of an import; 400 for a package that is none. */
export const readFiles = ({ files, package: zip }: Pick<QtiImport, "files" | "package">): ReadFile[] =>
  (files ?? unpacked(zip ?? "")).map(understand);

function understand({ name, xml }: QtiFile): ReadFile {
  try {
    return { name, item: readItem(xml) };
  } catch (error) {
    if (error instanceof QtiError) return { name, fault: truncate(error.message, longestFault) };
    throw error;
  }
}
