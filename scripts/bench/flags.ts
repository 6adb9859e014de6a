/** Whether the bench was called with this flag. */
export const has = (flag: string): boolean => process.argv.includes(flag);

/** What stands behind a flag, if it was given. */
export const textAfter = (flag: string): string | undefined =>
  has(flag) ? process.argv[process.argv.indexOf(flag) + 1] : undefined;
