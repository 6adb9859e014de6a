import { describe, expect, it } from "vitest";
import { transcriptToWebVtt } from "../../../../app/src/content/web-vtt.ts";
import { parseCaptionsText } from "../../../../lib/courses/content/captions/read-captions.ts";
import { decodeOmission } from "../../../../lib/platform/results/omission-codes.ts";

const readWhole = (source: string) => parseCaptionsText(source, "film");

const read = (source: string) => {
  const { leftOut: _, ...transcript } = readWhole(source);
  return transcript;
};

const vtt = (...cues: string[]) => `WEBVTT - a title\nLanguage: de\n\n${cues.join("\n\n")}\n`;

describe("captions", () => {
  it("of WebVTT have times and speech, without notes, styles and marks", () => {
    const source = vtt(
      "NOTE a note --> none",
      "STYLE\n::cue { color: red }",
      "intro\n00:01.000 --> 00:02.500 align:start\n<v Ada>Hello <i>you</i></v>\n<00:01.500>there &amp; here",
      "01:00:00.000 --> 01:00:01.000\nLate",
    );
    expect(read(source)).toEqual({
      format: "webvtt",
      language: "de",
      segments: [
        { start: 1, end: 2.5, text: "Ada: Hello you there & here" },
        { start: 3600, end: 3601, text: "Late" },
      ],
    });
  });

  it("name what a transcript cannot hold", () => {
    const source = [
      "WEBVTT - a title\nKind: captions\nLanguage: de\nLanguage: en",
      "NOTE by Ada\nand Bea",
      "STYLE\n::cue { color: red }",
      "REGION\nid:left",
      "intro\n00:01.000 --> 00:02.500 align:start region:left\n<v Ada><i>you</i></v> <00:01.500>there",
      "00:03.000 --> 00:04.000 align:start\n{\\an8}<ruby>漢<rt>かん</rt></ruby> <c.loud>&#233;&eacute;</c>",
    ].join("\n\n");
    const { segments, leftOut } = readWhole(source);
    expect(segments.map(({ text }) => text)).toEqual(["Ada: you there", "漢(かん) éé"]);
    expect(leftOut.map((line) => decodeOmission(line).line)).toEqual([
      "setting NOTE: by Ada and Bea",
      "setting STYLE: ::cue { color: red }",
      "setting REGION: id:left",
      "setting WEBVTT: a title",
      "setting Kind: captions",
      "setting Language: en",
      "i",
      "timestamp",
      "setting id: intro",
      "setting align: start",
      "setting region: left",
      "{\\an8}",
      "c",
    ]);
    const many = Array.from({ length: 60 }, (_, at) => `NOTE ${at}`).join("\n\n");
    const lines = readWhole(`${vtt(many, "00:01.000 --> 00:02.000\nA")}`).leftOut;
    expect([lines.length, decodeOmission(String(lines.at(-1))).line]).toEqual([51, "11 more"]);
  });

  it("begin at each line with times, also without an empty line before it", () => {
    const texts = (source: string) => read(source).segments.map(({ start, text }) => [start, text]);
    expect(texts(vtt("00:01.000 --> 00:02.000\nOne\n42\n00:02.000 --> 00:03.000\nTwo"))).toEqual([
      [1, "One 42"],
      [2, "Two"],
    ]);
    const srt = "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\n";
    expect(texts(`${srt}00:00:03,000 --> 00:00:04,000\nTwo`)).toEqual([
      [1, "One"],
      [3, "Two"],
    ]);
    expect(() => read(vtt("00:01.000 --> 00:02.000\nOne\n-->\nTwo"))).toThrow("line 6");
  });

  it("of SubRip have them, too, with any line ends", () => {
    const source =
      "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<b>Hello</b>\r\nyou\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBye\r\n";
    expect(read(source)).toEqual({
      format: "srt",
      language: null,
      segments: [
        { start: 1, end: 2.5, text: "Hello you" },
        { start: 3, end: 4, text: "Bye" },
      ],
    });
  });

  it.each([
    ["if a<b and c>d, then", "if a<b and c>d, then"],
    ["I <3 you, and 5> 4", "I <3 you, and 5> 4"],
    ["f(x) <y> and {x}", "f(x) <y> and {x}"],
    ["<B>bold</B> <i>it</i> <u>u</u>", "bold it u"],
    ['<font color="#ff0000" size=3>red</font>', "red"],
    ["one<br>two<br/>three", "one two three"],
    ["<c.loud.yellow>hey</c> <lang en-GB>colour</lang>", "hey colour"],
    ["{\\an8}{\\i1}up{\\i0}", "up"],
    ["caf&eacute; &ndash; &#146;t &#x2013; &le; &alpha;&zzz;", "café – ’t – ≤ α&zzz;"],
  ])("keep text that only looks like a mark: %j", (line, said) => {
    for (const source of [
      vtt(`00:01.000 --> 00:02.000\n${line}`),
      `1\n00:00:01,000 --> 00:00:02,000\n${line}\n`,
    ])
      expect(read(source).segments).toEqual([{ start: 1, end: 2, text: said }]);
  });

  it.each([
    ["00:00:01,000 --> 00:00:02,500", 1, 2.5],
    ["00:00:01.000 --> 00:00:02.5", 1, 2.5],
    ["0:00:01,0 --> 0:00:02,50", 1, 2.5],
    ["00:00:01 --> 00:00:02", 1, 2],
    ["23:59:59,000 --> 24:00:01,000", 86_399, 86_401],
    ["00:01 --> 00:02", 1, 2],
    ["00:00:01,000-->00:00:02,000 X1:0 X2:10", 1, 2],
  ])("have times in each usual form: %s", (times, start, end) => {
    expect(read(`1\n${times}\nA\n`).segments).toEqual([{ start, end, text: "A" }]);
  });

  it("over midnight or with a time that is cut name the line", () => {
    for (const times of ["23:59:59,000 --> 00:00:01,000", "00:00:01,000 --> 00:00:02"])
      expect(() => read(`1\n00:00:01,000 --> 00:00:02,000\nA\n\n2\n${times}\nB\n`)).toThrow("line 6");
  });

  it("may overlap, and stand in any order", () => {
    const source = vtt("00:03.000 --> 00:09.000\nB", "00:01.000 --> 00:04.000\nA");
    expect(read(source).segments.map(({ start }) => start)).toEqual([3, 1]);
  });

  it.each([
    ["A letter to you", "film is neither WebVTT nor SubRip (SRT)"],
    [vtt(), "film has no captions"],
    [vtt("00:01.000 --> 00:02.000\nA", "00:03.000 -> 00:04.000\nB"), "film, line 7"],
    [vtt("00:01.000 --> then\nA"), "film, line 4"],
    [vtt("00:99.000 --> 00:99.500\nA"), "film, line 4"],
    [vtt("00:03.000 --> 00:02.000\nA"), "film, line 4: the caption ends before it begins"],
    ["1\n00:00:01,000 --> 00:00:02,000\nA\n\n2\n00:00:03,000 --> 00:00", "film, line 6"],
    [
      vtt("00:01.000 --> 00:02.000\nA\n\n".repeat(5001)),
      "film, line 15004: captions can have at most 2000 KiB",
    ],
    [vtt("A", `00:01.000 --> 00:02.000\n${"a".repeat(2001)}`), "film, line 4"],
    [vtt(`00:01.000 --> 00:02.000\n${"a".repeat(2001)}`), "film, line 4: a caption can have at most 2000"],
  ])("that are invalid name the file and the line: %#", (source, said) => {
    expect(() => read(source)).toThrow(said);
  });

  it("are the same after a way through a film's track", () => {
    let seed = 7;
    const next = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    const words = ["a & b", "<i>x</i>", "-->", "1 < 2 > 0", "é 漢字", "Note", "&lt;"];
    for (let round = 0; round < 100; round += 1) {
      let at = 0;
      const segments = Array.from({ length: 1 + next(20) }, () => {
        const start = at + next(5000) / 1000;
        at = start + (1 + next(5000)) / 1000;
        const text = [words[next(words.length)], words[next(words.length)]].join(" ");
        return { start: Math.round(start * 1000) / 1000, end: Math.round(at * 1000) / 1000, text };
      });
      expect(read(transcriptToWebVtt(segments) ?? "").segments).toEqual(segments);
    }
  });

  it("take time in proportion to their length, however they are written", () => {
    for (const part of ["<v ", "&amp", "{\\", "-->", "<", "00:01.000 --> "])
      expect(() => read(`WEBVTT\n\n00:01.000 --> 00:02.000\n${part.repeat(100_000)}`)).not.toThrow("stack");
  });
});
