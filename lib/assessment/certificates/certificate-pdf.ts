import PDFDocument from "pdfkit";
import type { CertificateVerification } from "../../../schema/api/assessment/certificates.ts";
import { convertWoffToTrueType } from "./woff.ts";
import { certificateDateLines, certificateStateTexts, formatCodeInFours } from "./wording.ts";

/** `usual` (TrueType) covers most scripts; `other` (WOFF) has a plain glyph for nearly every character. */
type Fonts = { usual: Buffer; other: Buffer };

export type PdfOptions = { code: string; address: string; fonts: Fonts; timeZone: string };

type Run = { text: string; font: keyof Fonts };

const ink = "#1b1f24";
const faded = "#57606a";
const alarm = "#b42318";
const margin = 56;

/** For scripts with joined letters or right-to-left direction. */
const asOne: PDFKit.Mixins.TextOptions = { lineBreak: false, features: ["kern", "liga"] };

/** The part of pdfkit's font that lists its characters. */
type Loaded = { _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } } };

/** Parsing the usual font is the slowest step. */
const read = new WeakMap<Buffer, Loaded["_font"]["font"]>();

/** One A4 page, with the certificate's current state. */
export async function certificatePdf(
  printed: CertificateVerification,
  { code, address, fonts, timeZone }: PdfOptions,
): Promise<Buffer> {
  const usual = (read.get(fonts.usual) ?? fonts.usual) as unknown as string;
  const document = new PDFDocument({
    size: "A4",
    layout: "landscape",
    margin,
    lang: "en",
    displayTitle: true,
    font: usual,
    info: {
      Title: `Certificate of ${printed.printed_name}`,
      Author: printed.university_name,
      CreationDate: new Date(printed.issued_at),
    },
  });
  document.registerFont("usual", usual);
  read.set(fonts.usual, fontOf(document));
  const finished = bytesOf(document);
  const page = writerOn(document, fonts);

  page.line(printed.university_name, { size: 18, top: 80 });
  page.line("Certificate of completion", { size: 14, top: 125, color: faded });
  page.line(printed.printed_name, { size: 34, top: 175 });
  page.line("has completed", { size: 13, top: 240, color: faded });
  page.line(printed.course_title, { size: 22, top: 270 });
  if (printed.state !== "VALID")
    page.line(certificateStateTexts[printed.state], { size: 20, top: 325, color: alarm });
  const dates = certificateDateLines(printed, timeZone).map(({ label, value }) => `${label}: ${value}`);
  page.line(dates.join("   ·   "), { size: 11, top: 385 });
  page.line(`Code: ${formatCodeInFours(code)}`, { size: 11, top: 420 });
  page.line(address, { size: 9, top: 445, color: faded, link: address });
  document.end();
  return finished;
}

function bytesOf(document: PDFKit.PDFDocument): Promise<Buffer> {
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    document.on("data", (part: Buffer) => parts.push(part));
    document.on("end", () => resolve(Buffer.concat(parts)));
    document.on("error", reject);
  });
}

type LineOptions = { size: number; top: number; color?: string; link?: string };

/** Centred lines; long ones are scaled down. */
function writerOn(document: PDFKit.PDFDocument, { other }: Fonts) {
  const hasSign = coverageOf(document);
  let hasOther = false;
  const openOther = () => {
    if (!hasOther) document.registerFont("other", convertWoffToTrueType(other));
    hasOther = true;
  };
  const widthOf = (runs: Run[], size: number) =>
    runs.reduce(
      (sum, { text, font }) => sum + document.font(font).fontSize(size).widthOfString(text, asOne),
      0,
    );
  return {
    line(text: string, { size, top, color = ink, link }: LineOptions): void {
      const runs = splitTextByFont(text.replaceAll(/\s+/g, " "), hasSign);
      if (runs.some(({ font }) => font === "other")) openOther();
      const room = document.page.width - 2 * margin;
      const fitting = Math.min(size, (size * room) / widthOf(runs, size));
      let left = (document.page.width - widthOf(runs, fitting)) / 2;
      for (const run of runs) {
        const width = widthOf([run], fitting);
        document
          .fillColor(color)
          .text(run.text, left, top + (size - fitting) / 2, { ...asOne, link: link ?? null });
        left += width;
      }
    },
  };
}

const fontOf = (document: PDFKit.PDFDocument) => (document.font("usual") as unknown as Loaded)._font.font;

function coverageOf(document: PDFKit.PDFDocument): (character: string) => boolean {
  const font = fontOf(document);
  return (character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
}

export function splitTextByFont(text: string, hasSign: (character: string) => boolean): Run[] {
  const runs: Run[] = [];
  for (const character of text) {
    const font = hasSign(character) ? "usual" : "other";
    const last = runs.at(-1);
    if (last?.font === font) last.text += character;
    else runs.push({ text: character, font });
  }
  return runs;
}
