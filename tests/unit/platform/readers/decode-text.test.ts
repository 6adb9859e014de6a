import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeText,
  lineOfByte,
  UndecodableTextError,
} from "../../../../lib/platform/readers/decode-text.ts";

/** One byte for each character. */
const narrow = [
  ...["ibm866", "iso-8859-2", "iso-8859-5", "iso-8859-7", "iso-8859-15", "koi8-r", "koi8-u", "macintosh"],
  ...["windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1257"],
];

/** The bytes of each character that the encoding can write. */
function alphabetOf(encoding: string): Map<string, number> {
  const decoder = new TextDecoder(encoding);
  const bytes = Array.from({ length: 0xe0 }, (_, at) => at + 0x20);
  return new Map(
    bytes
      .map((byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const)
      .filter(([sign]) => !/[\p{Cc}\p{Cn}\ufffd<>&]/u.test(sign)),
  );
}

const encoded = (text: string, encoding: string): Buffer => {
  if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  if (encoding === "utf-8") return Buffer.from(text);
  const alphabet = alphabetOf(encoding);
  return Buffer.from(Array.from(text, (sign) => alphabet.get(sign) ?? sign.charCodeAt(0)));
};

const faultOf = (bytes: Uint8Array, declared?: string): string => {
  try {
    return `read as ${decodeText(bytes, { declared }).read_as}`;
  } catch (error) {
    if (error instanceof UndecodableTextError) return error.message;
    throw error;
  }
};

describe("declared text", () => {
  it.each(narrow)(
    "in %s is decoded by an XML declaration, an HTML element, or outside of the file",
    (encoding) => {
      // The bytes of some letters are a byte order mark, which wins.
      const letters = fc
        .string({ unit: fc.constantFrom(...alphabetOf(encoding).keys()), maxLength: 40 })
        .filter(
          (text) => !/^(\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(encoded(text, encoding).toString("latin1")),
        );
      fc.assert(
        fc.property(letters, (text) => {
          const xml = `<?xml version="1.0" encoding='${encoding.toUpperCase()}' ?>\n<a>${text}</a>`;
          const html = `<!DOCTYPE html>\n<!-- <meta charset="utf-8"> --><meta charset=${encoding}><p>${text}</p>`;
          const old = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=${encoding}">${text}`;
          for (const source of [xml, html, old])
            expect(decodeText(encoded(source, encoding))).toEqual({ text: source, read_as: encoding });
          expect(decodeText(encoded(text, encoding), { declared: encoding }).text).toBe(text);
        }),
        { numRuns: 50 },
      );
    },
  );

  it.each([
    '<?xml version="1.0" encoding="UTF-16"?>\n<a>Zoë 😀 日本</a>',
    "email;name\r\nzoe@example.edu;Zoë 日本\r\n",
    "Имя Фамилия Почта\r\nАнна Иванова один\r\nПётр Петров два\r\n",
    "WEBVTT\n\n00:01.000 --> 00:02.000\nこんにちは\u3000世界",
    "::Q:: Wie heißt 1 + 1? { =zwei ~drei }",
  ])("in UTF-16 is decoded with and without a byte order mark: %j", (text) => {
    for (const encoding of ["utf-16le", "utf-16be"])
      for (const mark of ["\ufeff", ""])
        expect(decodeText(encoded(mark + text, encoding))).toEqual({ text, read_as: encoding });
  });

  it("in UTF-8 keeps a single NUL, and in UTF-16 loses the byte order mark", () => {
    const text = `name,email\n${"Ada,ada@example.edu\n".repeat(9)}\0`;
    expect(decodeText(Buffer.from(text)).text).toBe(text);
    expect(decodeText(encoded("\ufeffa,b", "utf-16be")).text).toBe("a,b");
  });

  it("in encodings of several bytes is decoded", () => {
    const sources: [label: string, bytes: number[], text: string][] = [
      ["Shift_JIS", [0x93, 0xfa, 0x96, 0x7b], "日本"],
      ["EUC-KR", [0xc7, 0xd1], "한"],
      ["GB18030", [0xd6, 0xd0, 0xce, 0xc4], "中文"],
      ["Big5", [0xa4, 0xa4], "中"],
    ];
    for (const [label, bytes, text] of sources)
      expect(decodeText(Buffer.from(bytes), { declared: label }).text).toBe(text);
  });

  it("that is not in this encoding, or in an unknown one, is rejected with its line", () => {
    const latin = Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n<a>\nK\xf6ln</a>', "latin1");
    expect(faultOf(latin)).toBe("Line 3 is not valid utf-8, the encoding that the file declares");
    expect(faultOf(Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a/>'))).toMatch(
      "Line 1 is not valid utf-16",
    );
    expect(faultOf(Buffer.from("\xef\xbb\xbfa\r\nb\r\n\xff", "latin1"))).toMatch("Line 3 is not valid utf-8");
    expect(faultOf(Buffer.from("a\n\x81", "latin1"), "latin1")).toMatch("Line 2 is not valid windows-1252");
    expect(faultOf(Buffer.from("ff fe 00 d8 0a 00".replaceAll(" ", ""), "hex"))).toMatch(
      "not valid utf-16le",
    );
    for (const label of ["utf-7", "x-none", "", "hz-gb-2312", "constructor"])
      expect(faultOf(Buffer.from(`<?xml version="1.0" encoding="${label}"?><a/>`))).toMatch("not supported");
    expect(faultOf(Buffer.from("fffe000061000000", "hex"))).toMatch("utf-32, which is not supported");
  });
});

describe("undeclared text", () => {
  it("is UTF-8 if valid, otherwise Windows-1252", () => {
    const wide = fc
      .string({ unit: "grapheme" })
      .filter((text) => !/^\s*</.test(text) && !/[\0\ufeff]/.test(text));
    fc.assert(
      fc.property(wide, (text) => {
        expect(decodeText(Buffer.from(text))).toEqual({ text, read_as: "utf-8" });
      }),
    );
    expect(decodeText(Buffer.from("Zo\xeb,\x93M\xfcller\x94,\x80", "latin1"))).toEqual({
      text: "Zoë,“Müller”,€",
      read_as: "windows-1252",
    });
  });

  it("never contains a replacement character that the file does not have", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          const { text } = decodeText(bytes);
          expect(text.includes("\ufffd")).toBe(Buffer.from(bytes).includes("\ufffd"));
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableTextError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("that is cut within a character, or in no known encoding, is rejected with its line", () => {
    const whole = Buffer.from("name\nZoë\nMüller\n");
    for (let end = 0; end <= whole.length; end++)
      expect(["read as utf-8", "read as windows-1252", expect.stringContaining("incomplete")]).toContainEqual(
        faultOf(whole.subarray(0, end)),
      );
    expect(faultOf(whole.subarray(0, 12))).toBe(
      "The file is incomplete: it ends within a character in line 3",
    );
    expect(faultOf(Buffer.from("a\nb\n\x8d\xff", "latin1"))).toMatch(
      "Line 3 is neither UTF-8 nor Windows-1252",
    );
  });
});

describe("the line of a byte", () => {
  it.each(["utf-8", "utf-16le", "utf-16be"])(
    "counts each kind of line end once, in chunks, in %s",
    (encoding) => {
      const text = "one\r\ntwo\nthree\rfour";
      const bytes = encoded(text, encoding);
      for (let size = 1; size <= bytes.length; size += 1) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(lineOfByte(chunks, bytes.length)).toBe(4);
        expect(lineOfByte(chunks, encoded("one\r\n", encoding).length)).toBe(2);
        expect(lineOfByte(chunks, 1)).toBe(1);
      }
    },
  );
});
