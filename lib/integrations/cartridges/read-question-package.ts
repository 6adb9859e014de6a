import { unzipQtiPackage } from "../../assessment/qti/package.ts";
import { parseQtiItem } from "../../assessment/qti/read-item.ts";
import { QtiError } from "../../assessment/qti/xml.ts";
import { decodeText, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../platform/results/omission-codes.ts";
import { decodeStoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { ParsedQuiz } from "./read-quiz.ts";
import { firstDistinctOmissions } from "./settings.ts";

/**
 * The questions of a QTI 3 package within a cartridge, as a question bank. Questions with pictures, tests and files
 * that were not understood are reported. 400 if it is no package.
 */
export function parseQuestionPackage(archive: Uint8Array): ParsedQuiz {
  const questions: ParsedQuiz["questions"] = [];
  const lines: EncodedOmission[] = [];
  for (const { name, bytes } of unzipQtiPackage(Buffer.from(archive))) {
    if (!/\.xml$/i.test(name) || name === "imsmanifest.xml") continue;
    try {
      const read = parseQtiItem(decodeText(bytes).text);
      if (!read) lines.push(encodeOmittedElement("assessmentTest"));
      else {
        questions.push(read.question);
        lines.push(...read.leftOut.map(encodeOmittedElement));
      }
    } catch (error) {
      lines.push(encodeOmission("left_out_file", { path: truncate(name, 200), fault: faultOf(error) }));
    }
  }
  return {
    ...{ title: "", isBank: true, settings: {}, essays: [], groups: [] },
    hasItems: questions.length > 0 || lines.length > 0,
    questions,
    places: questions.map((_, index) => ({ number: index + 1, group: -1 })),
    leftOut: firstDistinctOmissions(lines),
  };
}

function faultOf(error: unknown): string {
  if (error instanceof QtiError || error instanceof UndecodableTextError)
    return truncate(decodeStoredReason(error.reason).reason ?? "", 200);
  throw error;
}
