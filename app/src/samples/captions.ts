import type { TextSample } from "./sample-file.ts";

/** Captions of a film. */
export const captionSamples: readonly TextSample[] = [
  {
    ...{ name: "captions.vtt", format: "WebVTT", type: "text/vtt" },
    content: `WEBVTT
Language: en

00:00:01.000 --> 00:00:04.000
Welcome to the course.

00:00:04.500 --> 00:00:08.000
Today we talk about waves.
`,
  },
  {
    ...{ name: "captions.srt", format: "SRT", type: "text/plain" },
    content: `1
00:00:01,000 --> 00:00:04,000
Welcome to the course.

2
00:00:04,500 --> 00:00:08,000
Today we talk about waves.
`,
  },
];
