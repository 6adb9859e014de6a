/** What a driver has of each type of PostgreSQL, by its number. */
type Types = {
  getTypeParser(type: number): (text: string) => unknown;
  setTypeParser(type: number, parse: (text: string) => unknown): void;
};

const INT8 = 20;
const INT8_ARRAY = 1016;

/**
 * Has a driver read 64-bit integers as numbers, alone and in arrays, where it reads texts: ids, which end at 2^53 - 1, and
 * sums far below it. In place.
 */
export function readWideIntegers(types: Types): void {
  types.setTypeParser(INT8, Number);
  const texts = types.getTypeParser(INT8_ARRAY);
  types.setTypeParser(INT8_ARRAY, (text) =>
    (texts(text) as (string | null)[]).map((one) => (one === null ? null : Number(one))),
  );
}
