import type { Captions } from "../../../../schema/api/courses/captions.ts";
import { badRequest } from "../../../errors.ts";
import { BeyondBounds } from "../../../platform/readers/beyond-bounds.ts";
import { decodeText, UndecodableText } from "../../../platform/readers/decode-text.ts";
import { receiveBytes } from "../../../platform/readers/reader-thread.ts";
import { truncate } from "../../../platform/text/truncate.ts";

/** The worker thread's input: bytes, or none for an uploaded file. */
export type CaptionsWorkerInput = { name: string; bytes: Uint8Array | undefined };

const mostMegabytes = 2;
const mostSegments = 5000;
const longestSegment = 2000;

const tooLarge = (name: string) =>
  badRequest("captions_too_large", { file: name, kib: mostMegabytes * 1000, count: mostSegments });

/** 400 if it is too large, has an invalid time, or is neither WebVTT nor SubRip. */
export async function readCaptionsFile({ name, bytes }: CaptionsWorkerInput): Promise<Captions> {
  const file = truncate(name || "captions", 200);
  const read =
    bytes ??
    (await receiveBytes(mostMegabytes).catch((error) => {
      throw error instanceof BeyondBounds ? tooLarge(file) : error;
    }));
  if (read.length > mostMegabytes * 1_000_000) throw tooLarge(file);
  try {
    return readCaptions(decodeText(read).text, file);
  } catch (error) {
    if (error instanceof UndecodableText)
      throw badRequest("captions_undecodable", { file, fault: error.message });
    throw error;
  }
}

type Line = { number: number; text: string };

/** Detects WebVTT or SubRip by the content. Linear time. */
export function readCaptions(source: string, file: string): Captions {
  const blocks = blocksIn(source);
  const [first] = blocks;
  const isVtt = /^WEBVTT(?:\s|$)/.test(first?.[0]?.text ?? "");
  if (!isVtt && !first?.slice(0, 2).some(({ text }) => text.includes("-->")))
    throw badRequest("captions_unknown", { file });
  const cues = isVtt
    ? blocks.slice(1).filter(([head]) => !/^(NOTE|STYLE|REGION)(?:\s|$)/.test(head?.text ?? ""))
    : blocks;
  const language = isVtt ? languageIn(first ?? []) : null;
  const segments = cues
    .flatMap((block) => cuesIn(block, isVtt))
    .flatMap((lines) => segmentOf(lines, file) ?? []);
  if (segments.length === 0) throw badRequest("captions_empty", { file });
  if (segments.length > mostSegments) throw tooLarge(file);
  return { format: isVtt ? "webvtt" : "srt", language, segments };
}

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

const languageIn = (header: readonly Line[]): string | null =>
  header.map(({ text }) => /^Language:\s*([\w-]{2,35})\s*$/i.exec(text)?.[1]).find(Boolean) ?? null;

/** Undefined without speech. */
function segmentOf(lines: readonly Line[], file: string): Captions["segments"][number] | undefined {
  const at = lines.findIndex(({ text }) => text.includes("-->"));
  const timing = lines[at === -1 ? 0 : at];
  const invalid = () => badRequest("captions_line_invalid", { file, line: timing?.number ?? 1 });
  // A block without times is an identifier or a number at most.
  if (!timing || at < 0 || at > 1) throw invalid();
  const [from = "", rest = ""] = timing.text.split("-->");
  const [start, end] = [secondsIn(from), secondsIn(rest.trim().split(/\s/)[0] ?? "")];
  if (start === undefined || end === undefined) throw invalid();
  if (end < start) throw badRequest("captions_order", { file, line: timing.number });
  const text = lines
    .slice(at + 1)
    .map((line) => speechIn(line.text))
    .filter(Boolean)
    .join(" ");
  return text === "" ? undefined : { start, end, text: truncate(text, longestSegment) };
}

/** `01:02.500` and `00:01:02,500`; hours are optional. */
function secondsIn(time: string): number | undefined {
  const [, hours = "0", minutes, seconds] =
    /^(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d[.,]\d{1,3})$/.exec(time.trim()) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(",", "."));
  return Math.round(sum * 1000) / 1000;
}

const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "", quot: '"' },
};

/** Without marks; a voice becomes `Name: `. */
const speechIn = (line: string): string =>
  line
    .replaceAll(/<v(?:\.[^\s<>]*)?\s+([^<>]{1,100})>/g, (_, name: string) => `${name.trim()}: `)
    .replaceAll(/<\/?[a-z0-9][^<>]*>|\{\\[^{}]*\}/gi, "")
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm|quot);/g, (_, name: string) => entities[name] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
