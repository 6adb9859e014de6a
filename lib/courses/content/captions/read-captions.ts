import { badRequest } from "../../../errors.ts";
import { BeyondBounds } from "../../../platform/readers/beyond-bounds.ts";
import { decodeText, lineOfByte, UndecodableTextError } from "../../../platform/readers/decode-text.ts";
import { receiveBytes } from "../../../platform/readers/reader-thread.ts";
import type { EncodedOmission } from "../../../platform/results/omission-codes.ts";
import { truncate } from "../../../platform/text/truncate.ts";
import { type CaptionOmissionCollector, createCaptionOmissionCollector } from "./left-out.ts";
import { stripCaptionMarkup } from "./speech.ts";

type Segment = { start: number; end: number; text: string };

export type ParsedCaptions = {
  format: "webvtt" | "srt";
  language: string | null;
  segments: Segment[];
  leftOut: EncodedOmission[];
};

/** The worker thread's input: bytes, or none for an uploaded file. */
export type CaptionsWorkerInput = { name: string; bytes: Uint8Array | undefined };

const maxCaptionFileMegabytes = 2;
const maxCaptionSegments = 5000;
const maxCaptionSegmentCharacters = 2000;

const maxBytes = maxCaptionFileMegabytes * 1_000_000;

const tooLarge = (file: string, line: number) =>
  badRequest("captions_too_large", { file, line, kib: maxBytes / 1000, count: maxCaptionSegments });

/** 400 if it is too large, has an invalid time, or is neither WebVTT nor SubRip. */
export async function parseCaptionsBytesOrUpload({
  name,
  bytes,
}: CaptionsWorkerInput): Promise<ParsedCaptions & { read_as: string }> {
  const file = truncate(name || "captions", 200);
  const read =
    bytes ??
    (await receiveBytes(maxCaptionFileMegabytes).catch((error) => {
      throw error instanceof BeyondBounds ? tooLarge(file, error.line ?? 1) : error;
    }));
  if (read.length > maxBytes) throw tooLarge(file, lineOfByte([read], maxBytes));
  try {
    const { text, read_as } = decodeText(read);
    return { ...parseCaptionsText(text, file), read_as };
  } catch (error) {
    if (error instanceof UndecodableTextError)
      throw badRequest("captions_undecodable", { file, fault: error.message });
    throw error;
  }
}

type Line = { number: number; text: string };

/** Detects WebVTT or SubRip by the content. Linear time. */
export function parseCaptionsText(source: string, file: string): ParsedCaptions {
  const blocks = blocksIn(source);
  const [first] = blocks;
  const isVtt = /^WEBVTT(?:\s|$)/.test(first?.[0]?.text ?? "");
  if (!isVtt && !first?.slice(0, 2).some(({ text }) => text.includes("-->")))
    throw badRequest("captions_unknown", { file });
  const omitted = createCaptionOmissionCollector();
  const others = isVtt ? blocks.slice(1).filter(isNoCue) : [];
  for (const block of others) omitted.addBlock(block.map(({ text }) => text));
  const cues = isVtt ? blocks.slice(1).filter((block) => !isNoCue(block)) : blocks;
  const language = isVtt ? readHeader(first ?? [], omitted) : null;
  const read = cues
    .flatMap((block) => cuesIn(block, isVtt))
    .flatMap((lines) => segmentOf(lines, file, omitted) ?? []);
  if (read.length === 0) throw badRequest("captions_empty", { file });
  const surplus = read[maxCaptionSegments];
  if (surplus) throw tooLarge(file, surplus.line);
  const segments = read.map(({ line: _, ...segment }) => segment);
  return { format: isVtt ? "webvtt" : "srt", language, segments, leftOut: omitted.lines };
}

const isNoCue = ([head]: readonly Line[]): boolean => /^(NOTE|STYLE|REGION)(?:\s|$)/.test(head?.text ?? "");

/** Lines between empty lines. */
function blocksIn(source: string): Line[][] {
  const blocks: Line[][] = [];
  let block: Line[] = [];
  for (const [at, text] of source.split(/\r\n|\n|\r/).entries()) {
    if (text.trim() !== "") block.push({ number: at + 1, text });
    else if (block.length > 0) {
      blocks.push(block);
      block = [];
    }
  }
  if (block.length > 0) blocks.push(block);
  return blocks;
}

/** A line with times begins a cue, also without an empty line before it. SubRip has a number above it. */
function cuesIn(block: readonly Line[], isVtt: boolean): Line[][] {
  const [, ...starts] = block.flatMap(({ text }, at) => (text.includes("-->") ? [at] : []));
  const cues = [0, ...starts].map((start, at) => block.slice(start, starts[at]));
  return cues.map((cue, at) =>
    !isVtt && at < starts.length && /^\d+$/.test(cue.at(-1)?.text.trim() ?? "") ? cue.slice(0, -1) : cue,
  );
}

/** Its language. A title and other fields are left out. */
function readHeader([first, ...fields]: readonly Line[], omitted: CaptionOmissionCollector): string | null {
  const title = first?.text.replace(/^WEBVTT[\s-]*/, "").trim() ?? "";
  if (title !== "") omitted.addSetting("WEBVTT", title);
  let language: string | null = null;
  for (const { text } of fields) {
    const [, stated] = /^Language:\s*([\w-]{2,35})\s*$/i.exec(text) ?? [];
    const [, name = text, value = ""] = /^([^:=]{1,50})[:=](.*)$/.exec(text) ?? [];
    if (stated && language === null) language = stated;
    else omitted.addSetting(name.trim(), value.trim());
  }
  return language;
}

/** Undefined without speech. */
function segmentOf(
  lines: readonly Line[],
  file: string,
  omitted: CaptionOmissionCollector,
): (Segment & { line: number }) | undefined {
  const at = lines.findIndex(({ text }) => text.includes("-->"));
  const timing = lines[at === -1 ? 0 : at];
  const invalid = () => badRequest("captions_line_invalid", { file, line: timing?.number ?? 1 });
  // A block without times is an identifier or a number at most.
  if (!timing || at < 0 || at > 1) throw invalid();
  const [from = "", rest = ""] = timing.text.split("-->");
  const [until = "", ...settings] = rest.trim().split(/\s+/);
  const [start, end] = [secondsIn(from), secondsIn(until)];
  // The fraction of a second is missing in all times of a file, or the file was cut.
  const isCut = /[.,]/.test(from) && !/[.,]/.test(until);
  if (start === undefined || end === undefined || isCut) throw invalid();
  if (end < start) throw badRequest("captions_order", { file, line: timing.number });
  const text = lines
    .slice(at + 1)
    .map((line) => stripCaptionMarkup(line.text, omitted.addElement))
    .filter(Boolean)
    .join(" ");
  if (text.length > maxCaptionSegmentCharacters)
    throw badRequest("captions_text_too_long", {
      file,
      line: timing.number,
      count: maxCaptionSegmentCharacters,
    });
  const name = at === 1 ? (lines[0]?.text.trim() ?? "") : "";
  if (!/^\d*$/.test(name)) omitted.addSetting("id", name);
  for (const setting of settings) {
    const [, kind = setting, value = ""] = /^([^:]{1,50}):(.*)$/.exec(setting) ?? [];
    omitted.addSetting(kind, value);
  }
  return text === "" ? undefined : { line: timing.number, start, end, text };
}

/** `01:02.500`, `00:01:02,500` and `00:01:02`; hours are optional. */
function secondsIn(time: string): number | undefined {
  const [, hours = "0", minutes, seconds] =
    /^(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d{1,3})?)$/.exec(time.trim()) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(",", "."));
  return Math.round(sum * 1000) / 1000;
}
