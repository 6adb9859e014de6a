/** The fields that differ. A PATCH with them does not overwrite others' changes. */
export const pickChangedFields = <Wanted extends object>(wanted: Wanted, before: object): Partial<Wanted> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isSame(value, before[name as keyof typeof before])),
  ) as Partial<Wanted>;

/** Deep equality of JSON values. The order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => key in other && isSame(one[key as keyof typeof one], other[key as keyof typeof other]),
    )
  );
}
