import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  isReadableDocumentType,
  maxDocumentCharacters,
  maxDocumentPages,
  readDocument,
} from "../../../../lib/platform/readers/document-text.ts";
import { readDocumentInThread } from "../../../../lib/platform/readers/read-document-text.ts";
import { createReaderThreadPool } from "../../../../lib/platform/readers/reading-threads.ts";
import { docxOf, pdfOf, pptxOf } from "../../../support/documents.ts";

const pdf = "application/pdf";
const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

const read = (bytes: Uint8Array | string, mediaType: string) =>
  readDocument({ bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes, mediaType });

const refusal = (detail: string) => ({ status: 400, message: detail });

describe("the text of a document", () => {
  it("is that of a PDF, page by page", async () => {
    const { text, is_cut } = await read(await pdfOf(["The heart pumps.", "The lungs breathe."]), pdf);
    expect(text.split("\n\n")).toEqual(["The heart pumps.", "The lungs breathe."]);
    expect(is_cut).toBe(false);
  });

  it("is that of a DOCX, paragraph by paragraph", async () => {
    const { text } = await read(docxOf(["Über das Herz &amp; die Lunge", "試験"]), docx);
    expect(text).toBe("Über das Herz & die Lunge\n\n試験");
  });

  it("is that of the slides of a PPTX, in the order in which they are shown", async () => {
    const { text } = await read(pptxOf([["First", "of two"], ["Second"]]), pptx);
    expect(text).toBe("First\nof two\n\nSecond");
  });

  it.each([
    ["hello\r\nworld", "hello\nworld"],
    ["a\0b", "ab"],
    ["one\n \n\t\n\n\ntwo  ", "one\n\ntwo"],
    ["\ufeffmarked", "marked"],
    ["", ""],
  ])("of the plain file %j is its storable part", async (given, text) => {
    expect(await read(given, "text/plain")).toEqual({ text, is_cut: false });
  });

  it("of a plain file in UTF-16 is read as that", async () => {
    expect((await read(Buffer.from("\ufeffgrün", "utf16le"), "text/plain")).text).toBe("grün");
  });

  it("is read of no other kinds", () => {
    for (const type of [pdf, docx, pptx, "text/plain", "text/csv", "application/json"])
      expect(isReadableDocumentType(type)).toBe(true);
    for (const type of ["image/png", "video/mp4", "application/zip"])
      expect(isReadableDocumentType(type)).toBe(false);
  });

  it("ends with the most pages and characters, and says that it was cut", async () => {
    const pages = Array.from({ length: maxDocumentPages + 5 }, (_, index) => `Page ${index + 1}.`);
    const long = await read(await pdfOf(pages), pdf);
    expect(long.is_cut).toBe(true);
    expect(long.text).toContain(`Page ${maxDocumentPages}.`);
    expect(long.text).not.toContain(`Page ${maxDocumentPages + 1}.`);
    const slides = await read(pptxOf(pages.map((page) => [page])), pptx);
    expect([slides.is_cut, slides.text.split("\n\n").length]).toEqual([true, maxDocumentPages]);
    const plain = await read("x".repeat(maxDocumentCharacters + 1), "text/plain");
    expect([plain.is_cut, plain.text.length]).toEqual([true, maxDocumentCharacters]);
  });

  it.each([
    ["a PDF that is none", "%PDF-1.7 and nothing more", pdf],
    ["a DOCX that is none", "PK\x03\x04 and nothing more", docx],
    ["a PPTX that is none", "PK", pptx],
  ])("of %s is rejected", async (_, bytes, mediaType) => {
    await expect(read(bytes, mediaType)).rejects.toMatchObject(refusal("The document cannot be read"));
  });

  it("of a ZIP bomb is rejected while it is unpacked", async () => {
    const bomb = zipSync({ "word/document.xml": new Uint8Array(33 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(100_000);
    await expect(read(bomb, docx)).rejects.toMatchObject(
      refusal("The document should have at most 32768 KiB when unpacked"),
    );
  });

  it("is read of no XML that has a document type, which could grow without an end", async () => {
    const bomb = docxOf(["&lol;"], '<!DOCTYPE lolz [<!ENTITY lol "lol">]>');
    await expect(read(bomb, docx)).rejects.toMatchObject({ status: 400 });
    const slide = '<!DOCTYPE lolz [<!ENTITY lol "lol">]><p:sld/>';
    const relations = '<Relationships><Relationship Id="a" Target="slides/slide1.xml"/></Relationships>';
    const presentation = '<p:presentation><p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst></p:presentation>';
    const files = {
      "ppt/presentation.xml": strToU8(presentation),
      "ppt/_rels/presentation.xml.rels": strToU8(relations),
      "ppt/slides/slide1.xml": strToU8(slide),
    };
    await expect(read(zipSync(files), pptx)).rejects.toMatchObject({ status: 400 });
  });
});

describe("the thread that reads documents", () => {
  it("reads 200 pages while this thread continues", async () => {
    const page = "The quick brown fox jumps over the lazy dog. ".repeat(10);
    const bytes = await pdfOf(Array.from({ length: maxDocumentPages }, () => page));
    const before = { own: process.threadCpuUsage(), all: process.cpuUsage() };
    const { text } = await readDocumentInThread({ bytes, mediaType: pdf });
    const own = process.threadCpuUsage(before.own);
    const all = process.cpuUsage(before.all);
    expect(text.split("fox").length - 1).toBe(10 * maxDocumentPages);
    // Another thread did most of the work.
    expect(own.user + own.system).toBeLessThan((all.user + all.system) / 2);
  });

  it("ends at its memory limit", async () => {
    // A PDF stream that grows a thousandfold when unpacked.
    const bytes = bombOf(deflateSync(Buffer.alloc(400_000_000, " "), { level: 1 }));
    const threads = createReaderThreadPool({
      ...{ threads: 1, files: 1, waitSeconds: 10, waitingFiles: 1, seconds: 60, timeoutSeconds: 60 },
      megabytes: 64,
    });
    const reader = new URL("../../../../lib/platform/readers/document-text-reader.ts", import.meta.url);
    await expect(threads.read(reader, { bytes, mediaType: pdf }, 1)).rejects.toMatchObject({
      ...refusal("Reading the file needs more than 64 MB of memory"),
    });
  });
});

/** A PDF with that stream as its only page. */
function bombOf(packed: Uint8Array): Uint8Array {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>",
  ];
  const head = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join("");
  const stream = `4 0 obj<</Length ${packed.length}/Filter/FlateDecode>>stream\n`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n${head}${stream}`),
    packed,
    Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R/Size 5>>\n%%EOF"),
  ]);
}
