const longestId = 64;

/** Ids of options that fit a question: those of the file, or their positions if one of them is too long. Pure. */
export const shortIds = (ids: readonly string[]): readonly string[] =>
  ids.some((id) => id.length > longestId) ? ids.map((_, at) => `option-${at + 1}`) : ids;
