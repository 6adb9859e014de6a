import { resolved, type Schema, typesOf } from "../support/operations.ts";

/** A body that is large for its content, and whether it must be rejected. */
export type Heavy = { what: string; text: string; isRefused: boolean };

type Value = { what: string; isRefused: boolean; fill(room: number): string };

/** All heavy values for new shapes, or the worst for known ones. */
export type Variety = "all" | "the worst";

/** Maximum size of a body. */
const largestBody = 1024 * 1024;

/** Large enough to detect superlinear work, for thousands of bodies. */
const largePart = 128 * 1024;

/** The most expensive ones. */
export const worst = /^(deep lists|a list of objects|many faults)/;

/** Repeats an item up to the size, separated by commas. */
const filled = (item: (at: number) => string, room: number): string => {
  const count = Math.floor(room / (item(0).length + 1));
  return Array.from({ length: count }, (_, at) => item(at)).join(",");
};

const numbered = (at: number): string => String(at).padStart(6, "0");

const nested = (depth: number, key: string, inner: string): string =>
  `{"${key}":`.repeat(depth) + inner + "}".repeat(depth);

/** Expensive structures: deep, wide, with long keys, many faults or lone surrogates. */
const structures: Value[] = [
  {
    what: "deep lists",
    isRefused: true,
    fill: (room) => "[".repeat(room / 2) + "]".repeat(room / 2),
  },
  { what: "deep objects", isRefused: true, fill: (room) => nested(Math.floor(room / 6) - 1, "a", "1") },
  { what: "a wide list", isRefused: false, fill: (room) => `[${filled(() => "1", room)}]` },
  { what: "a list of nothing", isRefused: false, fill: (room) => `[${filled(() => "null", room)}]` },
  { what: "a list of objects", isRefused: false, fill: (room) => `[${filled(() => "{}", room)}]` },
  {
    what: "a wide object",
    isRefused: false,
    fill: (room) => `{${filled((at) => `"${numbered(at)}":1`, room)}}`,
  },
  {
    what: "a long key above a fault",
    isRefused: true,
    fill: (room) => `{"${"k".repeat(room - 20)}":"\\u0000"}`,
  },
  {
    what: "many faults below long keys",
    isRefused: true,
    fill: (room) => nested(58, "k".repeat(300), `[${filled(() => '"\\u0000"', room - 58 * 310)}]`),
  },
  {
    what: "many halves of characters",
    isRefused: true,
    fill: (room) => `[${filled(() => '"\\ud800"', room)}]`,
  },
  {
    what: "keys with halves of characters",
    isRefused: true,
    fill: (room) => `{${filled((at) => `"\\udc00${numbered(at)}":1`, room)}}`,
  },
  {
    what: "numbers with many digits",
    isRefused: false,
    fill: (room) => `[${filled(() => "1e300", room)}]`,
  },
  { what: "a number without end", isRefused: true, fill: () => "1e999" },
];

/** Pieces that repeat the beginning of a syntax. */
const pieces = ["x", " ", "<", "{{", "{[", "@@@refPrompt:name=", "a@", "/", "\\", '"', "😀"];

/** The structures of each variety, filled to a size once. */
function filledTo(room: number): Record<Variety, Heavy[]> {
  const all = structures.map(({ what, isRefused, fill }) => ({ what, isRefused, text: fill(room) }));
  return { all, "the worst": all.filter(({ what }) => worst.test(what)) };
}

const parts = filledTo(largePart);
const wholes = filledTo(largestBody - 2);

/** Heavy bodies as a whole: all at maximum size, or the worst at a smaller one. */
export const heavyWholes = (variety: Variety): Heavy[] =>
  (variety === "all" ? wholes : parts)[variety].map((heavy) => ({
    ...heavy,
    isRefused: heavy.isRefused || heavy.what.includes("list"),
  }));

/**
 * An operation's usual body with heavy values: in an unknown key, in each list or object, and in all texts.
 * `varietyFor` chooses per place.
 */
export function heavyParts(given: Schema, usual: object, varietyFor: (spot: string) => Variety): Heavy[] {
  const schema = resolved(given);
  if (typesOf(schema)[0] === "array") return [];
  const fields = Object.entries(schema.properties ?? {}).map(([key, field]): [key: string, field: Schema] => [
    key,
    resolved(field),
  ]);
  const wide = fields.filter(([, field]) =>
    typesOf(field).some((type) => ["array", "object"].includes(type)),
  );
  const spots = [
    { key: "unknown", spot: "where nobody looks" },
    ...wide.map(([key, field]) => ({ key, spot: JSON.stringify(field) })),
  ];
  const texts = fields.filter(([, field]) => typesOf(field).includes("string") && !field.enum);
  return [
    ...spots.flatMap(({ key, spot }) =>
      parts[varietyFor(spot)].map((structure) => withStructure(usual, key, structure)),
    ),
    ...(texts.length > 0 ? pieces : []).map((piece) => ({
      what: `texts of ${piece}, as long as they may be`,
      isRefused: false,
      text: withTexts(usual, texts, piece),
    })),
  ];
}

function withStructure(usual: object, key: string, { what, isRefused, text }: Heavy): Heavy {
  const others = Object.entries(usual).filter(([name]) => name !== key);
  const before = JSON.stringify(Object.fromEntries([...others, [key, 0]])).slice(0, -2);
  return { what: `${what} as ${key}`, isRefused, text: `${before}${text}}` };
}

function withTexts(usual: object, texts: readonly [key: string, field: Schema][], piece: string): string {
  const room = Math.floor(largePart / Math.max(1, texts.length) / JSON.stringify(piece).length);
  const filled = texts.map(([key, { maxLength = Number.POSITIVE_INFINITY }]) => [
    key,
    piece.repeat(Math.min(room, Math.floor(maxLength / [...piece].length))),
  ]);
  return JSON.stringify({ ...usual, ...Object.fromEntries(filled) });
}
