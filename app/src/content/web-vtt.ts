import type { VideoData } from "./content-data.ts";

type Segment = NonNullable<NonNullable<VideoData["transcript"]>["segments"]>[number];

/** Shown if a segment has no end and no successor, in seconds. */
const defaultSegmentSeconds = 5;

/** A transcript as WebVTT; undefined without speech. */
export function transcriptToWebVtt(segments: readonly Segment[]): string | undefined {
  const cues = segments.flatMap(({ start = 0, end, text }, at) => {
    const until = end ?? segments[at + 1]?.start ?? start + defaultSegmentSeconds;
    if (!text?.trim() || until <= start) return [];
    return [`${timeOf(start)} --> ${timeOf(until)}\n${escaped(text)}`];
  });
  return cues.length === 0 ? undefined : `WEBVTT\n\n${cues.join("\n\n")}\n`;
}

/** `00:01:02.500` */
function timeOf(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const two = (part: number) => String(part).padStart(2, "0");
  const whole = Math.floor(milliseconds / 1000);
  const rest = String(milliseconds % 1000).padStart(3, "0");
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}.${rest}`;
}

/** An empty line would end the cue. */
const escaped = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
