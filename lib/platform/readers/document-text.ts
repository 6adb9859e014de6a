import mammoth from "mammoth";
import { getDocumentProxy } from "unpdf";
import { badRequest, HttpError } from "../../errors.ts";
import { BeyondBounds } from "./beyond-bounds.ts";
import { decodeText } from "./decode-text.ts";
import { extractSlideTexts } from "./slides.ts";
import { type ArchiveBounds, type TextFile, unzipFiles, zipTexts } from "./zip.ts";

export type DocumentInput = { bytes: Uint8Array; mediaType: string };

export type DocumentText = { text: string; is_cut: boolean };

/** Of PDF and slides. */
export const maxDocumentPages = 200;

/** Ten times the default limit of an item's text for the tutor. */
export const maxDocumentCharacters = 1_000_000;

const inWord = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const inSlides = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

export const isReadableDocumentType = (mediaType: string): boolean =>
  ["application/pdf", inWord, inSlides, "application/json"].includes(mediaType) ||
  mediaType.startsWith("text/");

/**
 * PDF, DOCX, PPTX or text, up to the limits. Throws 400 for files that are broken, encrypted, or too large
 * when unpacked.
 */
export async function readDocument({ bytes, mediaType }: DocumentInput): Promise<DocumentText> {
  try {
    if (mediaType === "application/pdf") return await textOfPdf(bytes);
    if (mediaType === inWord) return shortened(await textOfWord(bytes));
    if (mediaType === inSlides) return textOfSlides(bytes);
    return textOfPlain(bytes);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof BeyondBounds) throw badRequest("document_unreadable", { fault: error.message });
    throw badRequest("document_not_read");
  }
}

async function textOfPdf(bytes: Uint8Array): Promise<DocumentText> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= Math.min(document.numPages, maxDocumentPages); number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    page.cleanup();
    pages.push(text);
    length += text.length;
    if (length > maxDocumentCharacters) break;
  }
  return shortened(pages.join("\n\n"), document.numPages > pages.length);
}

/** Parts of a DOCX that contain text. Others are not unpacked. */
const partsOfWord = /^(\[Content_Types\]\.xml|_rels\/\.rels|word\/[\w-]+\.xml|word\/_rels\/[\w.-]+\.rels)$/;

const bounds = { maxFiles: 400, maxBytes: 32 * 1024 * 1024 };

/** The DOCX library unpacks without limits: it receives only parts measured here. */
async function textOfWord(bytes: Uint8Array): Promise<string> {
  const parts = textsIn(bytes, { ...bounds, wanted: (name) => partsOfWord.test(name) });
  if (parts.some(({ text }) => /<!(DOCTYPE|ENTITY)/i.test(text)))
    throw badRequest("document_type_not_allowed");
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(zipTexts(parts)) });
  return value;
}

function textOfSlides(bytes: Uint8Array): DocumentText {
  const parts = textsIn(bytes, {
    ...bounds,
    wanted: (name) =>
      /^ppt\/(presentation\.xml|_rels\/presentation\.xml\.rels|slides\/[\w-]+\.xml)$/.test(name),
  });
  const slides = extractSlideTexts(parts);
  return shortened(slides.slice(0, maxDocumentPages).join("\n\n"), slides.length > maxDocumentPages);
}

const textsIn = (archive: Uint8Array, most: ArchiveBounds): TextFile[] =>
  unzipFiles(Buffer.from(archive), most).map(({ name, bytes }) => ({ name, text: decodeText(bytes).text }));

function textOfPlain(bytes: Uint8Array): DocumentText {
  // A character has four bytes at most.
  const read = bytes.subarray(0, 4 * maxDocumentCharacters + 4);
  const isCut = bytes.length > read.length;
  return shortened(decodeText(read, { isCut }).text, isCut);
}

/** Removes NUL, unpaired surrogates, trailing blanks and repeated empty lines. */
function shortened(text: string, isCut = false): DocumentText {
  const storable = text
    .slice(0, maxDocumentCharacters)
    .toWellFormed()
    .replaceAll("\0", "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/\n(?:[ \t]*\n)+/g, "\n\n")
    .trim();
  return { text: storable, is_cut: isCut || text.length > maxDocumentCharacters };
}
