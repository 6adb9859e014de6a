import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { detectMediaType, mediaTypeDetectionBytes } from "../../../lib/files/detect-media-type.ts";
import { mediaTypeRejectionReason } from "../../../lib/files/limits.ts";
import { decodeStoredReason } from "../../../lib/platform/results/stored-reason.ts";
import { docxOf, pptxOf } from "../../support/documents.ts";
import { png } from "../../support/send-file.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const zip = (files: Record<string, string>) =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  );

const inWord = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const inSlides = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

/** A box of an MP4: length, name and content. */
const box = (name: string, content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 8);
  return Buffer.concat([length, latin(name), content]);
};
const mp4 = (brand: string) =>
  Buffer.concat([box("ftyp", latin(`${brand}\0\0\0\0${brand}`)), box("mdat", Buffer.alloc(64))]);

const binary = deflateSync(Buffer.from("what no text is"));
const pdf = Buffer.concat([latin("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), binary, latin("\n%%EOF\n")]);
const html = "<!DOCTYPE html><html><script>alert(1)</script></html>";
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

type Case = [what: string, bytes: Uint8Array, said: string, kind: string];

const cases: Case[] = [
  ["a PNG that says what it is", png, "image/png", "image/png"],
  ["a PNG that calls itself HTML", png, "text/html", "image/png"],
  ["HTML that calls itself a PNG", latin(html), "image/png", "text/html"],
  ["HTML that calls itself plain text", latin(html), "text/plain", "text/html"],
  [
    "HTML behind blanks and a comment",
    latin(`\n\n<!-- ${"-".repeat(900)} -->\n${html}`),
    "text/plain",
    "text/html",
  ],
  [
    "a script element by itself, in capitals",
    latin("hello <SCRIPT>alert(1)</SCRIPT>"),
    "text/plain",
    "text/html",
  ],
  ["an SVG with a script", latin(svg), "image/png", "image/svg+xml"],
  ["an SVG behind an XML declaration", latin(`<?xml version="1.0"?>\n${svg}`), "image/png", "image/svg+xml"],
  ["an SVG in UTF-16", Buffer.from(`\ufeff${svg}`, "utf16le"), "image/png", "image/svg+xml"],
  ["a PDF", pdf, "application/pdf", "application/pdf"],
  ["a PDF that is HTML too", latin(`%PDF-1.4\n${html}`), "application/pdf", "text/html"],
  [
    "HTML that is a PDF too",
    Buffer.concat([latin(html), pdf]),
    "application/pdf",
    "application/octet-stream",
  ],
  ["a GIF that is a script too", latin("GIF89a/*\x01\x00\xff*/=1;alert(1)"), "image/gif", "image/gif"],
  ["a document of Word", docxOf(["Waves"]), inWord, inWord],
  ["slides", pptxOf([["Waves"]]), inSlides, inSlides],
  ["a ZIP that calls itself a document of Word", zip({ "run.exe": "MZ" }), inWord, "application/zip"],
  ["a film", mp4("isom"), "video/mp4", "video/mp4"],
  ["sound in the same wrapping", mp4("M4A "), "audio/mp4", "audio/x-m4a"],
  ["a program", latin(`MZ\x90\0\x03${"\0".repeat(200)}`), "text/plain", "application/x-msdownload"],
  ["text", Buffer.from("Größe: 1 µm ✓"), "text/plain", "text/plain"],
  ["text cut within a character", Buffer.from("Größe").subarray(0, 3), "text/markdown", "text/markdown"],
  ["a table", latin("a,b\r\n1,2\r\n"), "text/csv; charset=utf-8", "text/csv"],
  ["text that calls itself a film", latin("no film"), "video/mp4", "text/plain"],
  ["text in UTF-16, either way round", Buffer.from("\ufeffWaves", "utf16le"), "text/plain", "text/plain"],
  [
    "the same with the other end first",
    Buffer.from("\ufeffWaves", "utf16le").swap16(),
    "text/csv",
    "text/csv",
  ],
  ["text in an encoding that is not said", latin("Gr\xf6\xdfe"), "text/plain", "application/octet-stream"],
  ["a picture cut behind its signature", png.subarray(0, 8), "image/png", "application/octet-stream"],
  ["a few bytes of nothing", Buffer.from([0, 1, 2]), "image/png", "application/octet-stream"],
  ["nothing", Buffer.alloc(0), "image/png", "text/plain"],
];

describe("the kind of a file", () => {
  it.each(cases)("is recognized by its bytes: %s", async (_, bytes, said, kind) => {
    expect(await detectMediaType(bytes.subarray(0, mediaTypeDetectionBytes), said)).toBe(kind);
  });
});

describe("a purpose", () => {
  it.each([
    ["AVATAR", "image/png", undefined],
    ["AVATAR", "image/svg+xml", "A picture must be PNG, JPEG or WebP, and this is image/svg+xml"],
    ["AVATAR", "text/html", "A picture must be PNG, JPEG or WebP, and this is text/html"],
    ["IMPORT", "text/csv", undefined],
    ["IMPORT", "application/zip", undefined],
    ["IMPORT", "image/png", "An import must be text or a ZIP archive, and this is image/png"],
    ["POST", "application/x-msdownload", "Programs are not accepted, and this is application/x-msdownload"],
    ["SUBMISSION", "application/x-msdownload", undefined],
    ["ASSET", "image/svg+xml", undefined],
  ] as const)("%s takes %s, or says why it does not", (purpose, kind, why) => {
    expect(decodeStoredReason(mediaTypeRejectionReason(purpose, kind) ?? null).reason ?? undefined).toBe(why);
  });
});
