type Types = {
  getTypeParser(type: number): (text: string) => unknown;
  setTypeParser(type: number, parse: (text: string) => unknown): void;
};

const INT8 = 20;
const INT8_ARRAY = 1016;

/**
 * Parses 64-bit integers and their arrays as numbers. Ids end at 2^53 - 1, sums stay far below. Changes
 * `types`.
 */
export function registerWideIntegerParsers(types: Types): void {
  types.setTypeParser(INT8, Number);
  const texts = types.getTypeParser(INT8_ARRAY);
  types.setTypeParser(INT8_ARRAY, (text) =>
    (texts(text) as (string | null)[]).map((one) => (one === null ? null : Number(one))),
  );
}
