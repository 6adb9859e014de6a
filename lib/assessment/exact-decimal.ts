/** `digits` times ten to the power of minus `scale`. */
type Decimal = { digits: bigint; scale: number };

/** A number as written: 0.1 is exactly a tenth, not the nearest binary fraction. */
function decimalOf(number: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

const atScale = ({ digits, scale }: Decimal, wanted: number): bigint =>
  digits * 10n ** BigInt(wanted - scale);

/** As written; all three must be finite. */
export function isWithinTolerance(one: number, other: number, tolerance: number): boolean {
  const decimals = [one, other, tolerance].map(decimalOf);
  const scale = Math.max(...decimals.map((decimal) => decimal.scale));
  const [a = 0n, b = 0n, most = 0n] = decimals.map((decimal) => atScale(decimal, scale));
  const difference = a > b ? a - b : b - a;
  return difference <= most;
}
